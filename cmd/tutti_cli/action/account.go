package action

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
)

// Account is one key of a keystore.
type Account struct {
	Address core.Address `json:"address"`
	Path    string       `json:"path"`
}

// Accounts is `account list`.
type Accounts struct {
	Keystore string    `json:"keystore"`
	Accounts []Account `json:"accounts"`
}

func accountVerbs() verb.Table {
	where := verb.Field{Name: "keystore", Meta: "DIR", Help: "the keystore; default keystore in --dataDir, else that " +
		"of /etc/tutti/tutti.conf, else in ~/.tutti/NETWORK, with arbitrum-one-mainnet where --network is left out"}
	password := verb.Field{Name: "password-file", Meta: "FILE", Help: "file with the passphrase; without it you are asked"}
	light := verb.Field{Name: "light", Switch: true, Help: "seal the key cheaply: only for keys that guard nothing"}
	return verb.Table{
		{Name: "account create", Local: true, Short: "Make a new account key, sealed with a passphrase.", Result: Account{},
			Fields: []verb.Field{where, password, light}, Run: runCreate,
			Long: "Keep a copy of the file and of the passphrase: without both, what the account owns is lost. It needs no " +
				"running node."},
		{Name: "account list", Local: true, Short: "The accounts of a keystore.", Result: Accounts{},
			Fields: []verb.Field{where}, Run: runList},
		{Name: "account import", Local: true,
			Short: "Add a key made elsewhere: a key file, or a private key that you are asked for.", Result: Account{},
			Fields: []verb.Field{where, password, light, {Name: "key-file", Meta: "FILE",
				Help: "a key file in the usual form, version 3; it keeps its passphrase"},
				{Name: "private-key-file", Meta: "FILE", Help: "a file with 64 hexadecimal digits"}}, Run: runImport},
	}
}

// keystore returns where the keys are.
func keystore(c *verb.Call) (*account.Keystore, error) {
	cost := account.Standard
	if verb.Get[bool](c, "light") {
		cost = account.Light
	}
	path := verb.Get[string](c, "keystore")
	network := c.Set.Network
	if network == "" {
		network = "arbitrum-one-mainnet"
	}
	switch {
	case path != "":
	case c.Set.DataDir != "":
		path = filepath.Join(c.Set.DataDir, "keystore")
	case c.Set.Network == "" && c.World.Service != "":
		path = filepath.Join(c.World.Service, "keystore")
	case c.World.Home == "":
		return nil, verb.Mistake("there is no home directory: give --keystore")
	case network != filepath.Base(network) || network == "..":
		return nil, verb.Mistake("--network is no name of a network")
	default:
		path = filepath.Join(c.World.Home, ".tutti", network, "keystore")
	}
	return account.Open(path, cost), nil
}

func runList(_ context.Context, c *verb.Call) (verb.Result, error) {
	k, err := keystore(c)
	if err != nil {
		return nil, err
	}
	entries, err := k.List()
	all := Accounts{Keystore: k.Path(), Accounts: []Account{}}
	for _, e := range entries {
		all.Accounts = append(all.Accounts, Account(e))
	}
	return all, err
}

func runCreate(ctx context.Context, c *verb.Call) (verb.Result, error) {
	k, err := keystore(c)
	if err != nil {
		return nil, err
	}
	pass, err := passphrase(ctx, c, true)
	if err != nil {
		return nil, err
	}
	return added(k.Create(pass, c.World.Random, c.World.Now()))
}

func runImport(ctx context.Context, c *verb.Call) (verb.Result, error) {
	k, err := keystore(c)
	if err != nil {
		return nil, err
	}
	if file := verb.Get[string](c, "key-file"); file != "" {
		pass, err := passphrase(ctx, c, false)
		if err != nil {
			return nil, err
		}
		return added(k.ImportFile(file, pass, c.World.Now(), c.World.Random))
	}
	private, err := privateKey(ctx, c)
	if err != nil {
		return nil, err
	}
	pass, err := passphrase(ctx, c, true)
	if err != nil {
		return nil, err
	}
	return added(k.ImportKey(private, pass, c.World.Random, c.World.Now()))
}

func privateKey(ctx context.Context, c *verb.Call) (core.Secret, error) {
	if file := verb.Get[string](c, "private-key-file"); file != "" {
		return secretFile(c, "--private-key-file", file)
	}
	if !c.CanAsk() {
		return core.Secret{}, verb.Mistake("no prompt is possible for the key: give --key-file or --private-key-file")
	}
	text, err := c.Secret(ctx, "Private key (64 hexadecimal digits, not shown)")
	return core.NewSecret(text), err
}

// passphrase reads it from its file, or asks: twice for a new one.
func passphrase(ctx context.Context, c *verb.Call, fresh bool) (core.Secret, error) {
	if file := verb.Get[string](c, "password-file"); file != "" {
		return secretFile(c, "--password-file", file)
	}
	if !c.CanAsk() {
		return core.Secret{}, verb.Mistake("no prompt is possible for the passphrase: give --password-file")
	}
	text, err := c.Secret(ctx, "Passphrase (not shown)")
	if err != nil || !fresh {
		return core.NewSecret(text), err
	}
	again, err := c.Secret(ctx, "The same again")
	if err == nil && again != text {
		err = fault.New(fault.CommandLineInvalid, "read the passphrase", "the passphrases differ; no key was made")
	}
	return core.NewSecret(text), err
}

func secretFile(c *verb.Call, option, path string) (core.Secret, error) {
	content, err := c.World.ReadFile(path)
	if err != nil {
		return core.Secret{}, verb.Mistake(option + ": " + err.Error())
	}
	warnOpen(c, option, path)
	return core.NewSecret(strings.TrimSpace(string(content))), nil
}

// warnOpen reports a secret that others on the machine may read. Windows has no
// such bits, and a pipe is read once.
func warnOpen(c *verb.Call, option, path string) {
	mode, err := c.World.Mode(path)
	if err != nil || runtime.GOOS == "windows" || !mode.IsRegular() || mode.Perm()&0o044 == 0 {
		return
	}
	c.Report("%s", c.ReportStyle.Warn("Note: others may read "+path+" ("+option+"); chmod 600 "+path+" keeps it to you."))
}

func added(e account.Entry, err error) (verb.Result, error) {
	if err != nil {
		return nil, err
	}
	return Account(e), nil
}

// Print writes the key's place.
func (a Account) Print(p *console.Page) {
	defer p.Flush()
	p.Row("Account", a.Address)
	p.Row("Key file", a.Path)
}

// Print writes the keys.
func (a Accounts) Print(p *console.Page) {
	defer p.Flush()
	p.Title("ACCOUNTS in " + a.Keystore)
	if len(a.Accounts) == 0 {
		p.Line("There are none; tutti_cli account create makes one.")
		return
	}
	var rows [][]string
	for _, e := range a.Accounts {
		rows = append(rows, []string{e.Address.String(), e.Path})
	}
	p.Table([]string{"ADDRESS", "KEY FILE"}, rows)
}
