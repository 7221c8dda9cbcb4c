package config

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
)

// Chain is the account and the way to the chain.
type Chain struct {
	// Network names the chain and the data directory; "offchain" for none.
	Network string
	// Endpoints are JSON-RPC URLs; they often carry an API key.
	Endpoints []URL
	Account   core.Address
	Password  Secret
	// PasswordFile is where it was read from; "" when it was given itself.
	PasswordFile string
	// Keystore is a directory or a key file; "" means keystore/ in the data directory.
	Keystore string
	// Recipient receives tickets when the local key is ephemeral.
	Recipient  core.Address
	Controller core.Address
	// InitializeRoundDelay is the upper bound of the random delay.
	InitializeRoundDelay time.Duration
	PollingInterval      time.Duration
	// RedeemerAddr is a remote redeemer; zero for none.
	RedeemerAddr HostPort
	// AdminTransactions serves the admin routes that sign or send.
	AdminTransactions bool
}

// Offchain reports whether the node uses no chain and no payments.
func (c Chain) Offchain() bool { return c.Network == "offchain" }

// RedeemerElsewhere reports whether winning tickets go to a redeemer on another machine.
func (c Chain) RedeemerElsewhere() bool {
	return !c.RedeemerAddr.IsZero() && !ListenAddr{Host: c.RedeemerAddr.Host}.Loopback()
}

// Gas bounds what transactions cost and how long they wait.
type Gas struct {
	// Limit is 0 to estimate.
	Limit int
	// MinPrice is nil when unset: the network decides. MaxPrice 0 is no bound.
	MinPrice     *core.Wei
	MaxPrice     core.Wei
	Timeout      time.Duration
	Replacements int
}

// Tickets are the payment parameters of both sides.
type Tickets struct {
	EV           core.Wei
	MaxFaceValue core.Wei
	// The gateway's caps.
	MaxEV, MaxTotalEV core.Wei
	DepositMultiplier int
	// maxCredit is nil when unset.
	maxCredit *core.Wei
}

// MaxCredit returns the maximum value of tickets that one orchestrator may hold without work for them,
// in addition to as much as it worked for recently.
func (t Tickets) MaxCredit() core.Wei {
	if t.maxCredit != nil {
		return *t.maxCredit
	}
	return t.MaxTotalEV
}

// Prices are what an orchestrator asks and a gateway pays at most.
type Prices struct {
	// PerUnit is per PixelsPerUnit pixels; unset is not the same as 0.
	PerUnit       core.Price
	PixelsPerUnit core.Pixels
	// FeedAddr is the contract with the currency's exchange rate.
	FeedAddr core.Address
	// FeedCurrency is the currency of that rate, "" where only the contract knows it.
	FeedCurrency string
	AutoAdjust   bool
	// PerGateway is the JSON of prices for single gateways, Gateways its parsed content.
	PerGateway Document
	Gateways   map[core.Address]core.UnitPrice

	// MaxPerUnit is the most a gateway pays per PixelsPerUnit; unset and 0 are no
	// bound. MaxPerCapability is the JSON of the same per pipeline and model.
	MaxPerUnit        core.Price
	MaxPerCapability  Document
	IgnoreMaxIfNeeded bool

	limits pricing.Limits
}

// Limits returns the most a gateway pays: MaxPerUnit and MaxPerCapability together.
func (p Prices) Limits() pricing.Limits { return p.limits }

// BatchMaxPrice returns the most that a request of a batch may cost, unset for no bound of its own.
func (c *Config) BatchMaxPrice() core.UnitPrice {
	if !c.Batches.MaxPrice.IsSet() {
		return core.UnitPrice{}
	}
	return core.UnitPrice{Price: c.Batches.MaxPrice, PixelsPerUnit: c.Prices.PixelsPerUnit}
}

// Bounded reports whether a gateway has a general price limit that it never exceeds.
func (p Prices) Bounded() bool {
	general := p.limits.General
	return general.IsSet() && general.PerPixel().Sign() > 0 && !p.IgnoreMaxIfNeeded
}

// Default returns the price of transcoding, unset where none was given.
func (p Prices) Default() core.UnitPrice {
	if !p.PerUnit.IsSet() {
		return core.UnitPrice{}
	}
	return core.UnitPrice{Price: p.PerUnit, PixelsPerUnit: p.PixelsPerUnit}
}

// RemoteSigner says how a gateway reaches its remote payment signer, and for which callers a signer signs.
type RemoteSigner struct {
	URL            URL
	Headers        Secret
	Webhook        URL
	WebhookHeaders Secret
	AllowNoAuth    bool
	// DailyLimit bounds what one auth id spends on a day; zero is no bound.
	DailyLimit core.Wei
	Discovery  bool
}

// obsolete takes the values of options that no longer have an effect.
type obsolete struct {
	verifierURL   URL
	verifierPath  string
	failBucket    string
	failKey       Secret
	refreshModels string
	netint        string
}
