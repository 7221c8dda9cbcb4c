package apikeys

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Change is what a request says about a key, in the fields of Row. Fields that are left out, or null, stay as they are.
type Change struct {
	Name        *string      `json:"name"`
	Models      *[]string    `json:"models"`
	RPM         *int         `json:"rpm"`
	TPM         *int64       `json:"tpm"`
	Concurrency *int         `json:"concurrency"`
	Budget      *int64       `json:"budget"`
	BudgetWei   *json.Number `json:"budget_wei"`
	BudgetUSD   *json.Number `json:"budget_usd"`
	Alert       *int         `json:"alert"`
	Period      *string      `json:"period"`
	Expires     *string      `json:"expires"`
	Admin       *bool        `json:"admin"`
}

// Apply changes a key. The error is the fault KeyInvalid.
func (in *Change) Apply(k *Key, now time.Time) error {
	set(&k.RPM, in.RPM)
	set(&k.Concurrency, in.Concurrency)
	set(&k.Alert, in.Alert)
	set(&k.Admin, in.Admin)
	set(&k.Models, in.Models)
	if in.TPM != nil {
		k.TPM = inference.Tokens(*in.TPM)
	}
	if in.Budget != nil {
		k.Budget.Tokens = inference.Tokens(*in.Budget)
	}
	if err := amount(&k.Budget.Wei, "budget_wei", in.BudgetWei); err != nil {
		return err
	}
	if err := amount(&k.Budget.USD, "budget_usd", in.BudgetUSD); err != nil {
		return err
	}
	switch {
	case in.Period != nil:
		k.Budget.Period = Period(*in.Period)
	case !k.Budget.Limited():
		k.Budget.Period = ""
	}
	if !k.Budget.Limited() && in.Alert == nil {
		k.Alert = 0
	}
	if in.Expires == nil {
		return nil
	}
	at, err := ParseExpiry(*in.Expires, now)
	if err != nil {
		return fault.New(fault.KeyInvalid, opChange, fmt.Sprintf("expires is %v", err))
	}
	k.Expires = at
	return nil
}

// OwnName stands for the key of a request, so no key has this name.
const OwnName = "self"

// opChange is the operation of its faults.
const opChange = "manage API keys"

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// amount reads an amount of money, a number or a text.
func amount(to interface{ UnmarshalText(text []byte) error }, field string, from *json.Number) error {
	if from == nil {
		return nil
	}
	if err := to.UnmarshalText([]byte(from.String())); err != nil {
		return fault.New(fault.KeyInvalid, opChange, fmt.Sprintf("%s is %v", field, err))
	}
	return nil
}
