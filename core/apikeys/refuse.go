package apikeys

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

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
