package health

import (
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// RootCauses returns the node's root causes with the conditions that follow from them and are hidden by them:
// without any endpoint nothing on the chain can be done, and without a working GPU a node that was given GPUs has
// no transcoder.
func RootCauses() map[fault.Code][]fault.Code {
	c := EndpointCauses()
	c[fault.ChainUnavailable] = append(c[fault.ChainUnavailable],
		fault.ChainStale, fault.ChainNotReady, fault.RewardFailing, fault.RoundInitFailing, fault.TxStuck,
		fault.GasEstimateFailed,
		fault.PriceFeedFailing, fault.PriceRateUnknown)
	for _, why := range append(fault.GPUProblems(), fault.GPUNotReady, fault.GPUUnavailable, fault.DeviceTestFailed) {
		c[why] = append(c[why], fault.NoTranscoders)
	}
	return c
}

// EndpointCauses lists the conditions that ChainUnavailable explains: its text names the reason of every endpoint. A
// wrong address keeps its own condition, because its remedy differs.
func EndpointCauses() map[fault.Code][]fault.Code {
	return map[fault.Code][]fault.Code{fault.ChainUnavailable: {
		fault.RPCUnreachable, fault.RPCTimeout, fault.RPCGarbage, fault.RPCRateLimited, fault.RPCStale,
	}}
}

// hides is the rule by which one condition hides another: it is a root cause of it, and not less severe. Otherwise
// an operator that is alerted of critical conditions only would be alerted of neither.
func (b *Board) hides(cause, code fault.Code) bool {
	return cause != code && fault.SeverityOf(cause) >= fault.SeverityOf(code) && slices.Contains(b.causes[cause], code)
}

// hiddenByLocked returns a set condition that hides code, "" for none.
func (b *Board) hiddenByLocked(code fault.Code) fault.Code {
	var by fault.Code
	for key := range b.set {
		if b.hides(key.Code, code) && (by == "" || key.Code < by) {
			by = key.Code
		}
	}
	return by
}

// uncoveredLocked returns what cause hid and nothing hides any more. The caller has deleted
// the cause.
func (b *Board) uncoveredLocked(cause fault.Code) []Condition {
	var out []Condition
	for _, c := range b.set {
		if slices.Contains(b.causes[cause], c.Code) && b.hiddenByLocked(c.Code) == "" {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, compare)
	return out
}
