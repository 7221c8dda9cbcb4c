package action

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// The names of values that a verb keeps besides its fields.
const (
	keyPool    = "(pool)"
	keyBalance = "(balance)"
)

func stakeField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "LPT", Help: help + ", in whole tokens (1000, 0.5) or base units (5LPTU)",
		Question: question,
		Parse: func(c *verb.Call, text string, check verb.InputCheck) (any, error) {
			l, err := verb.ParseStake(text, check)
			if err != nil {
				return nil, err
			}
			if l.IsZero() {
				return nil, errors.New("the amount is 0")
			}
			if have := verb.Ref[core.LPT](c, keyBalance); have != nil && l.Cmp(*have) > 0 {
				return nil, fmt.Errorf("that is more than there is: %s", verb.FormatStake(*have))
			}
			return l, nil
		}}
}

// etherField takes an amount with its unit. In the menu the question names the
// unit, so that a bare number is ETH.
func etherField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "ETH", Help: help + ", with its unit: 0.1ETH, 5gwei, 100wei", Question: question,
		Parse: func(c *verb.Call, text string, _ verb.InputCheck) (any, error) {
			if c.Menu && text != "" && strings.Trim(text, "0123456789.") == "" {
				text += "ETH"
			}
			return verb.ParseEther(text)
		}}
}

func addressField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "ADDRESS", Help: help, Question: question,
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return core.ParseAddress(text) }}
}

// orchestratorField takes an address, or in the menu the number in the list that
// was shown. Numbers shift with every change of the pool, so scripts may not use
// them.
func orchestratorField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "ADDRESS", Help: help, Question: question,
		Parse: func(c *verb.Call, text string, _ verb.InputCheck) (any, error) {
			pool := verb.Get[[]adminapi.Orchestrator](c, keyPool)
			if n, err := strconv.Atoi(text); err == nil && c.Menu {
				if n < 0 || n >= len(pool) {
					return nil, fmt.Errorf("there is no orchestrator %d in the list", n)
				}
				return pool[n].Address, nil
			}
			return core.ParseAddress(text)
		}}
}

func lockField(question string) verb.Field {
	return verb.Field{Name: "lock", Word: true, Required: true, Meta: "LOCK",
		Help: "number of the unbonding lock; `stake locks` lists them", Question: question, Parse: parseLock}
}

func parseLock(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, errors.New("not the number of an unbonding lock")
	}
	return protocol.LockID(n), nil
}

// showPool shows the list whose numbers orchestratorField understands.
func showPool(ctx context.Context, c *verb.Call) error {
	var pool adminapi.Orchestrators
	if err := c.Node.Get(ctx, adminapi.PathOrchestrators, &pool); err != nil {
		return err
	}
	c.Put(keyPool, pool.Orchestrators)
	Pool{pool}.Print(c.TellPage())
	return nil
}

// showBalance shows what the account can give, and bounds what is typed by it.
func showBalance(ctx context.Context, c *verb.Call) error {
	var b adminapi.Balances
	if err := c.Node.Get(ctx, adminapi.PathBalances, &b); err != nil {
		return err
	}
	c.Report("Your balance is %s.", verb.FormatStake(b.Token))
	c.Put(keyBalance, b.Token)
	return nil
}
