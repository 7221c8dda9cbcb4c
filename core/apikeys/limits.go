package apikeys

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// checkKey checks whether a listed key is valid at all.
func (a *account) checkKey() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key.usable(a.now(), "")
}

// permits checks whether the key, or the webhook's answer, permits a model.
func (a *account) permits(answer *Key, model string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.terms(answer).usable(a.now(), model)
}

// usable checks whether the key is valid, and permits the model.
func (k *Key) usable(now time.Time, model string) error {
	switch {
	case !k.Revoked.IsZero():
		return refuse(fault.KeyRevoked, 0, "this API key was revoked")
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return refuse(fault.KeyExpired, 0, "this API key expired on "+k.Expires.UTC().Format(time.RFC3339))
	case model != "" && !k.Allows(model):
		return refuse(fault.ModelNotAllowed, 0, fmt.Sprintf("this API key is not for the model %q", model))
	}
	return nil
}

// checkLimits checks whether every limit of k admits one more request. Limits that waiting does not
// lift are reported first.
func (a *account) checkLimits(k *Key, now time.Time, w *reservation) error {
	l := &k.Limits
	if err := w.within(l); err != nil {
		return err
	}
	if err := a.budgeted(l.Budget, w.all()); err != nil {
		return err
	}
	if err := a.moneyLeft(l.Budget); err != nil {
		return err
	}
	if l.Concurrency > 0 && a.inFlight >= l.Concurrency {
		return refuse(fault.ConcurrencyLimited, busyRetry,
			fmt.Sprintf("%d of %d requests in progress", a.inFlight, l.Concurrency))
	}
	if l.RPM > 0 {
		if ok, wait := a.requests.fits(now, int64(l.RPM), 1); !ok {
			return refuse(fault.RateLimited, wait, fmt.Sprintf("this API key may send %d requests per minute", l.RPM))
		}
	}
	if l.TPM > 0 {
		if ok, wait := a.tokens.fits(now, int64(l.TPM), int64(w.tokens())); !ok {
			detail := fmt.Sprintf("this API key may use %d tokens per minute, and the request asks for up to %d", l.TPM,
				w.tokens())
			return refuse(fault.TokenRateLimited, wait, detail)
		}
	}
	return nil
}

// opAdmit is the operation of all faults here.
const opAdmit = "admit request"

// refuse makes a refusal; after is zero if waiting does not help.
func refuse(code fault.Code, after time.Duration, detail string) error {
	f := fault.New(code, opAdmit, detail)
	if after <= 0 {
		return f
	}
	return fault.After(f, after)
}
