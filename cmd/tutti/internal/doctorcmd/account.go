package doctorcmd

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
)

// keyring is the keystore and the key that would be used.
type keyring struct {
	keys  *account.Keystore
	entry account.Entry
	err   error
}

// readKeys finds the key without opening it.
func (in *inspection) readKeys(context.Context) (keyring, error) {
	path := in.cfg.Chain.Keystore
	if path == "" {
		path = filepath.Join(in.cfg.Storage.DataDir, "keystore")
	}
	k := keyring{keys: account.Open(path, account.Standard)}
	if _, k.err = k.keys.List(); k.err == nil {
		k.entry, k.err = k.keys.Choose(in.cfg.Chain.Account)
	}
	return k, nil
}

// account looks at the key, and tries the passphrase where no node has done so.
func (in *inspection) account(ctx context.Context) (doctor.Account, error) {
	k, err := in.keys.Get(ctx)
	if err != nil {
		return doctor.Account{}, err
	}
	var a doctor.Account
	record := func(err error) {
		a.Findings = append(a.Findings, doctor.Finding{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)})
	}
	if k.err != nil {
		record(k.err)
		return a, nil
	}
	a.Address, a.File = k.entry.Address.String(), k.entry.Path
	up := in.up(ctx)
	passphrase, err := in.Passphrase()
	if err != nil && !up {
		record(err)
	}
	signer, err := k.keys.Signer(k.entry, passphrase)
	if err != nil {
		if errors.Is(err, fault.AccountFileOpen) {
			a.Repair = chmod(k.entry.Path, 0o600)
		}
		record(err)
		return a, nil
	}
	if up || passphrase.IsZero() {
		return a, nil
	}
	if err := signer.Open(); err != nil {
		record(err)
		return a, nil
	}
	a.Opened = true
	return a, nil
}
