package apikeys_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// What says that a key is good for nothing ends its work within an interval; a webhook that fails and limits do not.
func TestWatch(t *testing.T) {
	t.Parallel()
	for code, ends := range map[fault.Code]bool{
		fault.KeyRevoked: true, fault.KeyExpired: true, fault.KeyUnknown: true, fault.KeyDenied: true,
		fault.KeyWebhookFailed: false, fault.RateLimited: false, fault.BudgetSpent: false, fault.ConcurrencyLimited: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			check := apikeys.Check(func(context.Context) error {
				if time.Since(begun) < time.Hour {
					return nil
				}
				return fault.New(code, "test", "")
			})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			defer cancel()
			err := check.Watch(ctx, apikeys.CheckInterval)
			late := time.Since(begun) - time.Hour
			if ends != errors.Is(err, code) || ends && late > apikeys.CheckInterval || !ends && err != nil {
				t.Errorf("%s: %v after %v", code, err, late)
			}
		})
	}
	if err := apikeys.Check(nil).Watch(t.Context(), time.Second); err != nil {
		t.Error(err)
	}
}
