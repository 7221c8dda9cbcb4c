package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// KeyFlags are the words behind one action of `tutti key`.
type KeyFlags struct {
	Set *flag.FlagSet
	// which is the key's name or ID.
	which string
	// given are the properties that were written.
	given map[string]bool

	name, models, period, expires string
	rpm, concurrency              int
	tpm, budget                   int64
	// budgetWei and budgetUSD are amounts of money, alert is in percent.
	budgetWei, budgetUSD string
	alert                int
	admin, isNew, JSON   bool
	spending             spendFlags
	// Node are the options that tell where the node keeps its state.
	Node map[string]*string
}

// spendFlags select spend; format is how it is written.
type spendFlags struct{ from, to, by, format string }

// nodeOptions tell where the node keeps its state.
func nodeOptions() []string { return []string{"dataDir", "datadir", "network", "config"} }

// NewKeyFlags returns the flags that an action takes.
func NewKeyFlags(a KeyAction) *KeyFlags {
	f := &KeyFlags{Set: flag.NewFlagSet("tutti key", flag.ContinueOnError), given: map[string]bool{},
		Node: map[string]*string{}}
	f.Set.SetOutput(io.Discard)
	if a.makes {
		f.Set.StringVar(&f.name, "name", "", "")
		f.Set.BoolVar(&f.isNew, "new", false, "")
	}
	if a.limits {
		f.Set.StringVar(&f.models, "models", "", "")
		f.Set.IntVar(&f.rpm, "rpm", 0, "")
		f.Set.Int64Var(&f.tpm, "tpm", 0, "")
		f.Set.IntVar(&f.concurrency, "concurrency", 0, "")
		f.Set.Int64Var(&f.budget, "budget", 0, "")
		f.Set.StringVar(&f.budgetWei, "budgetWei", "", "")
		f.Set.StringVar(&f.budgetUSD, "budgetUSD", "", "")
		f.Set.IntVar(&f.alert, "alert", 0, "")
		f.Set.BoolVar(&f.admin, "admin", false, "")
		f.Set.StringVar(&f.period, "period", "", "")
		f.Set.StringVar(&f.expires, "expires", "", "")
	}
	if a.spend {
		f.Set.StringVar(&f.spending.from, "from", "", "")
		f.Set.StringVar(&f.spending.to, "to", "", "")
		f.Set.StringVar(&f.spending.by, "by", "", "")
		f.Set.StringVar(&f.spending.format, "format", "table", "")
		f.Set.StringVar(&f.which, "key", "", "")
	}
	if a.JSON {
		f.Set.BoolVar(&f.JSON, "json", false, "")
	}
	for _, name := range nodeOptions() {
		f.Node[name] = f.Set.String(name, "", "")
	}
	return f
}

// Parse reads the words of an action; the key's name may stand before or behind
// the flags.
func (f *KeyFlags) Parse(args []string, named bool) error {
	if named && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		f.which, args = args[0], args[1:]
	}
	if err := f.Set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return ErrKeyUsage
		}
		return fmt.Errorf("%v: %w", err, ErrKeyUsage)
	}
	rest := f.Set.Args()
	if named && f.which == "" && len(rest) > 0 {
		f.which, rest = rest[0], rest[1:]
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q was not expected: %w", rest[0], ErrKeyUsage)
	case named && f.which == "":
		return fmt.Errorf("the key's name or ID is missing: %w", ErrKeyUsage)
	}
	f.Set.Visit(func(one *flag.Flag) {
		if f.Node[one.Name] == nil && one.Name != "json" && one.Name != "new" {
			f.given[one.Name] = true
		}
	})
	return nil
}

// apply sets what was given on a key and leaves the rest.
func (f *KeyFlags) apply(k *apikeys.Key, now time.Time) error {
	for name := range f.given {
		switch name {
		case "models":
			k.Models = nil
			if f.models != "" {
				k.Models = strings.Split(f.models, ",")
			}
		case "rpm":
			k.RPM = f.rpm
		case "tpm":
			k.TPM = inference.Tokens(f.tpm)
		case "concurrency":
			k.Concurrency = f.concurrency
		case "budget":
			k.Budget.Tokens = inference.Tokens(f.budget)
		case "budgetWei":
			if err := readMoney(&k.Budget.Wei, name, f.budgetWei); err != nil {
				return err
			}
		case "budgetUSD":
			if err := readMoney(&k.Budget.USD, name, f.budgetUSD); err != nil {
				return err
			}
		case "alert":
			k.Alert = f.alert
		case "admin":
			k.Admin = f.admin
		case "period":
			k.Budget.Period = apikeys.Period(f.period)
		case "expires":
			t, err := apikeys.ParseExpiry(f.expires, now)
			if err != nil {
				return fault.New(fault.KeyInvalid, "read -expires", fmt.Sprintf("expires: %q is %v", f.expires, err))
			}
			k.Expires = t
		}
	}
	if !k.Budget.Limited() && !f.given["period"] {
		k.Budget.Period = ""
	}
	if !k.Budget.Limited() && !f.given["alert"] {
		k.Alert = 0
	}
	return nil
}

// readMoney reads an amount; "" is none.
func readMoney(to interface{ UnmarshalText(text []byte) error }, name, text string) error {
	if text == "" {
		text = "0"
	}
	if err := to.UnmarshalText([]byte(text)); err != nil {
		return fault.New(fault.KeyInvalid, "read -"+name, fmt.Sprintf("%s: %q is %v", name, text, err))
	}
	return nil
}

// dataDir finds the node's data directory.
func (f *KeyFlags) dataDir() (string, error) {
	cfg, err := f.Load()
	if err != nil {
		return "", err
	}
	return cfg.Storage.DataDir, nil
}

// Load finds where the node keeps its state as the node does: by its options,
// environment and configuration file. What else may be wrong with these is the
// node's business.
func (f *KeyFlags) Load() (*config.Config, error) {
	var args []string
	f.Set.Visit(func(one *flag.Flag) {
		if value := f.Node[one.Name]; value != nil {
			args = append(args, "-"+one.Name+"="+*value)
		}
	})
	cfg, err := config.LoadDataDir(Input(args), slices.Collect(maps.Keys(f.Node))...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrKeyUsage)
	}
	return cfg, nil
}
