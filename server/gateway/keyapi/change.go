package keyapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// change is what a request says about a key. Fields that are left out, or null, stay as they are.
type change struct {
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

// read reads a request's body.
func (c *call) read() (*change, error) {
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a transport without deadlines has none to set
	b, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if err != nil {
		return nil, fault.New(fault.RequestUnreadable, op,
			fmt.Sprintf("the body is not a JSON object of at most %d bytes", maxBody))
	}
	_ = control.SetReadDeadline(time.Time{})
	return parse(b)
}

// parse reads a change. The error is the fault RequestUnreadable.
func parse(b []byte) (*change, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var in change
	if err := dec.Decode(&in); err != nil {
		return nil, fault.New(fault.RequestUnreadable, op, fmt.Sprintf("the body: %.200v", err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault.New(fault.RequestUnreadable, op, "the body: something follows the JSON object")
	}
	return &in, nil
}

// apply changes a key. The error is the fault KeyInvalid.
func (in *change) apply(k *apikeys.Key, now time.Time) error {
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
		k.Budget.Period = apikeys.Period(*in.Period)
	case !k.Budget.Limited():
		k.Budget.Period = ""
	}
	if !k.Budget.Limited() && in.Alert == nil {
		k.Alert = 0
	}
	if in.Expires == nil {
		return nil
	}
	at, err := apikeys.ParseExpiry(*in.Expires, now)
	if err != nil {
		return fault.New(fault.KeyInvalid, op, fmt.Sprintf("expires is %v", err))
	}
	k.Expires = at
	return nil
}

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
		return fault.New(fault.KeyInvalid, op, fmt.Sprintf("%s is %v", field, err))
	}
	return nil
}
