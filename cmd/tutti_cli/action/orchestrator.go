package action

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// keySelf is the orchestrator's record as far as it was read.
const keySelf = "(self)"

// commissionFields are both cuts, with what the operator's peers know of them.
func commissionFields() []verb.Field {
	cut := func(of func(adminapi.Orchestrator) core.PerMillion) func(context.Context, *verb.Call) (string, error) {
		return func(_ context.Context, c *verb.Call) (string, error) {
			if self := verb.Ref[adminapi.Orchestrator](c, keySelf); self != nil && self.Registered {
				return of(*self).String() + "%", nil
			}
			return "", nil
		}
	}
	return []verb.Field{
		{Name: "reward-cut", Meta: "PERCENT", Help: "the part of the minted tokens that you keep", Default: "10",
			Question: "Reward cut in percent",
			Explain:  "Reward cut: the part of the tokens minted each round that you keep; the rest goes to your delegators.",
			Suggest:  cut(func(o adminapi.Orchestrator) core.PerMillion { return o.RewardCut }),
			Parse: func(_ *verb.Call, text string, check verb.InputCheck) (any, error) {
				return verb.ParseRewardCut(text, check)
			}},
		{Name: "fee-cut", Meta: "PERCENT", Help: "the part of the fees that you keep", Default: "95",
			Question: "Fee cut in percent",
			Explain:  "Fee cut: the part of the fees for your work that you keep; the rest goes to your delegators.",
			Suggest:  cut(func(o adminapi.Orchestrator) core.PerMillion { return o.FeeCut }),
			Parse: func(_ *verb.Call, text string, check verb.InputCheck) (any, error) {
				return verb.ParseFeeCut(text, check)
			}},
	}
}

func explainedPrice() []verb.Field {
	fields := priceFields("Price per unit")
	fields[0].Explain = "Price: what you ask for the work, in wei (not in whole ETH) or another currency, for a number " +
		"of pixels."
	return fields
}

func uriField() verb.Field {
	return verb.Field{Name: "service-uri", Meta: "URI", Help: "the public address, https://host:port",
		Question: "Public address (https://host:port)",
		Explain: "Service address: where gateways reach you. A domain name is better than a bare IP address: it can be " +
			"pointed elsewhere without paying gas again.",
		Suggest: suggestURI, Parse: parseURI}
}

// keyPrivate says that private addresses are fine: the network is not the public one.
const keyPrivate = "(private)"

func learnPrivate(ctx context.Context, c *verb.Call) error {
	about, err := c.About(ctx)
	c.Put(keyPrivate, verb.Private(about))
	return err
}

func parseURI(c *verb.Call, text string, check verb.InputCheck) (any, error) {
	u, err := verb.ParseServiceURI(text, bool(check) || verb.Get[bool](c, keyPrivate))
	if err != nil {
		return nil, err
	}
	if u.BareIP {
		c.Report("%s", c.ReportStyle.Warn("Note: "+verb.BareIPHint+"."))
	}
	return u.Text, nil
}

func suggestURI(ctx context.Context, c *verb.Call) (string, error) {
	var a adminapi.ServiceAddress
	if err := c.Node.Get(ctx, adminapi.PathServiceAddress, &a); err != nil {
		return "", err
	}
	for _, text := range []string{a.OnChain, a.Discovered, a.Advertised} {
		for _, form := range []string{text, "https://" + text} {
			if u, err := verb.ParseServiceURI(form, verb.Get[bool](c, keyPrivate)); err == nil {
				return u.Text, nil
			}
		}
	}
	return "", nil
}

func activate() *verb.Verb {
	fields := append(commissionFields(), explainedPrice()...)
	lock := verb.Field{Name: "unbonding-lock", Meta: "LOCK",
		Help: "an unbonding lock to bond again instead of fresh tokens", Question: "Unbonding lock", Parse: parseLock}
	stake := stakeField("stake", "your own stake to reach, what is bonded already included", "Stake in LPT (whole tokens)")
	stake.Explain = "Stake: the tokens that you bond to yourself. There is no fixed minimum; to become active your " +
		"total stake must be among the highest of the pool."
	return &verb.Verb{Name: "orchestrator activate", Menu: `Invoke multi-step "become an orchestrator"`,
		For: verb.Orchestrators, Chain: true, Changes: true,
		Short: "Become an orchestrator, step by step; goes on where an earlier run ended.",
		Long: "Each step is a transaction of its own and needs gas. The steps are computed again from what the chain " +
			"says, so running it again with the same values after a failure does only what is left.",
		Fields: append(fields, uriField(), lock, stake), Result: &Planned{}, Before: learnOffer, Ask: askActivation,
		Run: runActivation}
}

func configure() *verb.Verb {
	return &verb.Verb{Name: "orchestrator config", Menu: "Set orchestrator config", For: verb.Orchestrators, Chain: true,
		Changes: true,
		Short:   "Change cuts, price and service address; sends only what differs.",
		Fields:  append(append(commissionFields(), explainedPrice()...), uriField()), Result: &Planned{}, Before: learnOffer,
		Ask: func(ctx context.Context, c *verb.Call) error {
			if err := readSelf(ctx, c); err != nil {
				return err
			}
			return askOffer(ctx, c)
		},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			body := adminapi.Config{RewardCut: verb.Ref[core.PerMillion](c, "reward-cut"),
				FeeCut: verb.Ref[core.PerMillion](c, "fee-cut"), ServiceURI: verb.Ref[string](c, "service-uri"),
				Pricing: pricing(c)}
			if body == (adminapi.Config{}) {
				return nil, verb.Mistake("give at least one of --reward-cut, --fee-cut, --price-per-unit, --service-uri")
			}
			return planned(runPlan(ctx, c, adminapi.PathConfig, body))
		}}
}

func serviceURI() *verb.Verb {
	f := uriField()
	f.Word, f.Required = true, true
	return &verb.Verb{Name: "orchestrator service-uri", For: verb.Orchestrators, Chain: true, Changes: true,
		Short:  "Publish another service address; costs gas.",
		Fields: []verb.Field{f}, Result: &verb.Sent{}, Before: learnPrivate,
		Run: act(adminapi.VerbSetServiceURI, func(c *verb.Call) any {
			return adminapi.ServiceURI{URI: verb.Get[string](c, "service-uri")}
		})}
}

func rewardCaller() *verb.Verb {
	caller := verb.Field{Name: "caller", Word: true, Required: true, Meta: "ADDRESS|none",
		Help: "address that may call reward for you; none revokes it", Question: "Reward caller's address, or none",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
			if text == "none" {
				return core.Address{}, nil
			}
			a, err := core.ParseAddress(text)
			if err == nil && a.IsZero() {
				err = errors.New("the zero address calls nothing: write none to take it back")
			}
			return a, err
		}}
	return &verb.Verb{Name: "orchestrator reward-caller", Menu: "Set reward caller", For: verb.Orchestrators, Chain: true,
		Changes: true, Short: "Name an account that may call reward for you.",
		Fields: []verb.Field{caller}, Result: &verb.Sent{}, Run: act(adminapi.VerbSetRewardCaller, func(c *verb.Call) any {
			return adminapi.RewardCaller{Caller: verb.Get[core.Address](c, "caller")}
		})}
}

func readSelf(ctx context.Context, c *verb.Call) error {
	var self adminapi.Orchestrator
	if err := c.Node.Get(ctx, adminapi.PathOrchestrator, &self); err != nil {
		return err
	}
	c.Put(keySelf, self)
	return nil
}

func askFields(ctx context.Context, c *verb.Call, names ...string) error {
	for _, name := range names {
		if err := c.AskField(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
