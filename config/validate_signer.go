package config

import (
	"errors"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

var errHeaderList = errors.New("this is no list of headers") // Read-only.

// validateSigner checks that a remote signer runs on a chain and does not sign for every caller. On another node it
// checks that a gateway uses either its own key or a remote signer.
func (l *loader) validateSigner() {
	if !l.config.Roles.RemoteSigner {
		l.validateSignerClient()
		return
	}
	s, listen := l.config.Signer, l.config.Addresses.RedeemerListen
	if l.config.Chain.Offchain() && l.valid("network") {
		l.reportOption(fault.MissingOption, "network", "a remote signer pays with tickets, and off-chain nothing is paid",
			"write -network arbitrum-one-mainnet")
	}
	if !listen.Loopback() && s.Webhook.IsZero() && !s.AllowNoAuth &&
		l.valid("httpAddr", "remoteSignerWebhookUrl", "remoteSignerAllowNoAuth") {
		l.reportOption(fault.SignerExposed, "httpAddr",
			"other machines reach "+listen.Addr()+", and payments would be signed for each of them",
			"leave the option out, name a service that admits callers with -remoteSignerWebhookUrl, or write "+
				"-remoteSignerAllowNoAuth where a firewall or proxy admits them")
	}
	if _, err := HeaderList(s.WebhookHeaders.Reveal()); err != nil && l.valid("remoteSignerWebhookHeaders") {
		l.reportOption(fault.BadOption, "remoteSignerWebhookHeaders", err.Error(), "write name:value,name:value")
	}
}

// validateSignerClient checks the options with which a gateway uses a remote signer.
func (l *loader) validateSignerClient() {
	s := l.config.Signer
	if l.config.Roles.Gateway && !s.URL.IsZero() && !l.config.Chain.Offchain() && l.valid("remoteSignerUrl", "network") {
		l.reportOption(fault.OptionConflict, "remoteSignerUrl",
			"a gateway on a chain pays with its own key, and this names another process that pays",
			"leave -network out, and the signer watches the chain; or leave this out")
	}
	if _, err := HeaderList(s.Headers.Reveal()); err != nil && l.valid("remoteSignerHeaders") {
		l.reportOption(fault.BadOption, "remoteSignerHeaders", err.Error(), "write name:value,name:value")
	}
}

// HeaderList reads headers, "name:value,name:value". The error's text has no value in it.
func HeaderList(list string) (http.Header, error) {
	h := make(http.Header)
	for _, one := range strings.Split(list, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		name, value, ok := strings.Cut(one, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errHeaderList
		}
		h.Add(name, value)
	}
	return h, nil
}

// signerAddress reads a URL whose scheme may be left out.
func signerAddress(p *URL) value {
	schemes := []string{"https", "http"}
	return hidden(p, "URL", exampleURL(schemes), pure(func(s string) (URL, error) {
		if !strings.Contains(s, "://") {
			s = "https://" + s
		}
		return ParseURL(s, schemes...)
	}))
}

// headerSecret takes headers, which may hold credentials. It is never a path.
func headerSecret(p *Secret) value {
	return hidden(p, "secret", "X-Key:text", func(s string, _ *Input) (Secret, error) { return core.NewSecret(s), nil })
}
