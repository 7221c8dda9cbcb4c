package config

import (
	"math"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// validate completes what depends on several options and reports what does not fit
// together. An option with a problem of its own is left out of it.
func (l *loader) validate() {
	l.validateRoles()
	l.validateWallet()
	l.validateSecret()
	l.completeDataDir()
	l.validateNetwork()
	l.validateNetint()
	l.completeAddresses()
	l.completeGateway()
	l.completeSessions()
	l.validateTLS()
	l.validateWeights()
	l.validatePrices()
	l.validateTickets()
	l.validateRedeemer()
	l.validateSigner()
	l.validateLive()
	l.validateCache()
	l.validateAlerts()
	l.validateAdminToken()
	l.validateStore()
	l.validateNoWork()
	if l.config.Monitoring.ClientIP {
		l.config.Monitoring.PerStream = true
	}
	l.addOptionNotices()
}

// given reports whether an option was given, and how.
func (l *loader) given(name string) (given, bool) {
	g, ok := l.chosen[name]
	return g, ok
}

// valid reports whether none of the options has a problem of its own.
func (l *loader) valid(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return l.flagged[n] })
}

// reportOption reports a problem of an option, with the source where it was given, and
// flags the option, so that consequences are not reported too.
func (l *loader) reportOption(code fault.Code, name, text, remedy string) {
	p := &Problem{Code: code, Subject: "-" + name, Text: text, Remedy: remedy}
	if g, ok := l.given(name); ok {
		p.Subject, p.Origin = g.subject(l.names.find(name).valueType()), g.origin
	}
	l.problem(p)
	l.flagged[name] = true
}

func (l *loader) validateNetint() {
	if _, ok := l.given("netint"); ok {
		l.reportOption(fault.OptionUnsupported, "netint", "accelerators of this vendor are not supported",
			"leave it out to transcode on the CPU, or use NVIDIA GPUs with -gpu")
	}
}

func (l *loader) validateTLS() {
	tls := l.config.TLS
	switch {
	case !l.valid("tlsCert", "tlsKey"):
	case tls.Cert != "" && tls.Key == "":
		l.reportOption(fault.MissingOption, "tlsCert", "a certificate needs its key",
			"add -tlsKey with the path of the key's PEM file")
	case tls.Key != "" && tls.Cert == "":
		l.reportOption(fault.MissingOption, "tlsKey", "a key needs its certificate",
			"add -tlsCert with the path of the certificate's PEM file")
	}
}

// validateWeights checks the sum that the existing node requires.
func (l *loader) validateWeights() {
	names := []string{"selectRandFreq", "selectStakeWeight", "selectPriceWeight"}
	if !l.valid(names...) {
		return
	}
	s := l.config.Selection
	if sum := s.RandFreq + s.StakeWeight + s.PriceWeight; math.Abs(sum-1) > 1e-9 {
		for _, name := range slices.Backward(names) {
			if _, ok := l.given(name); ok {
				l.reportOption(fault.OptionConflict, name,
					"the weights -selectRandFreq, -selectStakeWeight and -selectPriceWeight add up to "+
						printFloat(math.Round(sum*1e9)/1e9),
					"change them so that they add up to 1; without the options they are 0.3, 0.7 and 0")
				return
			}
		}
	}
}
