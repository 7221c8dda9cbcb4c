package chain

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/eth/account"
)

// credential is the name under which systemd hands the passphrase over.
const credential = "ethPassword"

// wallet finds the key of the account that the configuration names.
type wallet struct {
	cfg *config.Config
	log *slog.Logger
}

// OpenAccount finds the account that the configuration names; unlock opens it. An empty keystore
// gets a new key, as operators of the network expect.
func OpenAccount(cfg *config.Config, log *slog.Logger) (*account.Signer, error) {
	w := wallet{cfg: cfg, log: log}
	path := w.cfg.Chain.Keystore
	if path == "" {
		path = filepath.Join(w.cfg.Storage.DataDir, "keystore")
	}
	keys := account.Open(path, account.Standard)
	entries, err := keys.List()
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 && w.cfg.Chain.Account.IsZero() {
		return w.newAccount(keys)
	}
	entry, err := keys.Choose(w.cfg.Chain.Account)
	if err != nil {
		return nil, err
	}
	passphrase, err := w.passphrase("Passphrase of "+entry.Address.String()+": ", false)
	if err != nil {
		return nil, err
	}
	return keys.Signer(entry, passphrase)
}

func (w wallet) newAccount(keys *account.Keystore) (*account.Signer, error) {
	passphrase, err := w.passphrase("The keystore is empty. Passphrase for a new account: ", true)
	if err != nil {
		return nil, err
	}
	entry, err := keys.Create(passphrase, rand.Reader, time.Now())
	if err != nil {
		return nil, err
	}
	w.log.Warn("made a new account, because the keystore was empty",
		"account", entry.Address.String(), "file", entry.Path,
		"remedy", "keep a copy of the file and of its passphrase; they cannot be restored")
	return keys.Signer(entry, passphrase)
}

// passphrase returns what was configured, what systemd hands over, or what is
// typed; twice when it is to be a new one.
func (w wallet) passphrase(prompt string, fresh bool) (core.Secret, error) {
	if !w.cfg.Chain.Password.IsZero() {
		w.warnOpenFile()
		return w.cfg.Chain.Password, nil
	}
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		text, err := os.ReadFile(filepath.Join(dir, credential))
		if err == nil {
			return core.NewSecret(strings.TrimSpace(string(text))), nil
		}
		if !os.IsNotExist(err) {
			return core.Secret{}, fault.Wrap(fault.AccountPasswordMissing, "read the systemd credential "+credential, err)
		}
	}
	return typed(prompt, fresh)
}

// typed asks on the terminal, without showing what is typed.
func typed(prompt string, fresh bool) (core.Secret, error) {
	const op = "ask for the passphrase"
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return core.Secret{}, fault.New(fault.AccountPasswordMissing, op, "")
	}
	defer func() { _ = tty.Close() }()
	first, err := hidden(tty, prompt)
	if err != nil || first == "" {
		return core.Secret{}, fault.New(fault.AccountPasswordMissing, op, "nothing was typed")
	}
	if fresh {
		again, err := hidden(tty, "Again: ")
		if err != nil || again != first {
			return core.Secret{}, fault.New(fault.AccountPasswordMissing, op, "the two differ")
		}
	}
	return core.NewSecret(first), nil
}

func hidden(tty *os.File, prompt string) (string, error) {
	fmt.Fprint(tty, prompt)
	defer fmt.Fprintln(tty)
	text, err := term.ReadPassword(int(tty.Fd()))
	return string(text), err
}

// warnOpenFile says that other users may read the passphrase's file. It is no reason to
// refuse: container engines hand secrets over as files that all may read.
func (w wallet) warnOpenFile() {
	path := w.cfg.Chain.PasswordFile
	if path == "" {
		return
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		w.log.Warn("others may read the passphrase",
			fault.Attr(fault.New(fault.AccountFileOpen, "look at the file of the passphrase",
				path+" has mode "+info.Mode().Perm().String())))
	}
}

// Unlock returns a component that opens the key, which takes a second, alongside everything else.
func Unlock(signer *account.Signer) lifecycle.Component { return unlocking{signer} }

// unlocking opens the key alongside everything else: a good seal takes a second.
type unlocking struct{ signer *account.Signer }

// Name returns the component's name.
func (unlocking) Name() string { return "account" }

// Run fails when the passphrase is wrong.
func (u unlocking) Run(ctx context.Context, ready func()) error {
	ready()
	if err := u.signer.Open(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// GivenPassphrase returns what was configured, or what systemd hands over. It does not
// ask: the node does when it is started by hand.
func GivenPassphrase(cfg *config.Config) (core.Secret, error) {
	if !cfg.Chain.Password.IsZero() {
		return cfg.Chain.Password, nil
	}
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		if text, err := os.ReadFile(filepath.Join(dir, credential)); err == nil {
			return core.NewSecret(strings.TrimSpace(string(text))), nil
		}
	}
	return core.Secret{}, fault.New(fault.AccountPasswordMissing, "look for the passphrase",
		"-ethPassword is not given; the node asks on the terminal, which a service has not")
}
