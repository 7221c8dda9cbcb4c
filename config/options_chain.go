package config

import (
	"slices"
	"time"
)

func chainRows() []option {
	rows := slices.Concat(accountRows(), priceRows(), ticketRows(), gasRows())
	for i := range rows {
		// enableCliTxRoutes configures the admin API, which an off-chain node has too.
		rows[i].onchain = rows[i].name != "enableCliTxRoutes"
	}
	return rows
}

func accountRows() []option {
	return []option{
		{name: "ethUrl", mark: "B M", unset: "by network",
			help: "JSON-RPC endpoints of the layer-2 chain, separated by commas, or the path of a file that holds " +
				"them; reads go to the healthiest, transactions to all",
			to: func(c *Config) value { return urlsOrFile(&c.Chain.Endpoints, "http", "https", "ws", "wss") }},
		{name: "ethAcctAddr", mark: "M", help: "account to use when the keystore holds several",
			to: func(c *Config) value { return account(&c.Chain.Account) }},
		{name: "ethPassword", mark: "M", unset: "asked for",
			help: "passphrase of the key: the text, or the path of a file that holds it; without it the systemd " +
				"credential ethPassword is used, else the terminal asks for it",
			to: func(c *Config) value {
				return hidden(&c.Chain.Password, "secret or path", "/path/to/passphrase", readSecret)
			}},
		{name: "ethKeystorePath", mark: "M", unset: "keystore in the data directory",
			help: "keystore directory, or one key file",
			to:   func(c *Config) value { return path(&c.Chain.Keystore) }},
		{name: "ethOrchAddr", mark: "M",
			help: "registered orchestrator that receives tickets when the local key is a throwaway key",
			to:   func(c *Config) value { return account(&c.Chain.Recipient) }},
		{name: "ethController", mark: "M", unset: "by network", help: "controller contract",
			to: func(c *Config) value { return account(&c.Chain.Controller) }},
		{name: "initializeRoundMaxDelay", mark: "A", preset: "30s",
			help: "longest random delay before this node initializes a round",
			to:   func(c *Config) value { return duration(&c.Chain.InitializeRoundDelay, 0) }},
		{name: "blockPollingInterval", mark: "M", preset: "5s",
			help: "interval between requests for new blocks; a number means seconds",
			to:   func(c *Config) value { return seconds(&c.Chain.PollingInterval, time.Second) }},
		{name: "redeemerAddr", mark: "A", roles: orchestrator,
			help: "remote redeemer that redeems the winning tickets instead of this process; port 8935 where none " +
				"is given",
			to: func(c *Config) value {
				return typed(&c.Chain.RedeemerAddr, "host:port", "redeemer.example.org:8935",
					pure(func(s string) (HostPort, error) {
						return ParseHostPort(s, DefaultServicePort)
					}))
			}},
		{name: "enableCliTxRoutes", mark: "A",
			help: "let the admin routes that sign, send transactions or change settings be used by POST from this " +
				"machine without the token, as older tools do",
			to: func(c *Config) value { return boolean(&c.Chain.AdminTransactions) }},
	}
}

func priceRows() []option {
	return []option{
		{name: "pricePerUnit", mark: "B M", roles: orchestrator, unset: "none",
			help: "price of -pixelsPerUnit pixels: whole wei, or an amount with its currency such as 0.50USD; on " +
				"the chain it is required, 0 means free of charge",
			to: func(c *Config) value { return price(&c.Prices.PerUnit) }},
		{name: "pixelsPerUnit", mark: "B M", roles: orchestrator | gateway | remoteSigner, preset: "1",
			help: "pixels per unit of the price; 1e12 is valid",
			to:   func(c *Config) value { return pixels(&c.Prices.PixelsPerUnit) }},
		{name: "priceFeedAddr", mark: "M", preset: "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612",
			help: "contract that reports the rate between ETH and the currency of prices; asked every hour",
			to:   func(c *Config) value { return account(&c.Prices.FeedAddr) }},
		{name: "autoAdjustPrice", mark: "M", roles: orchestrator, preset: "true",
			help: "raise the price of offers by what redeeming tickets costs",
			to:   func(c *Config) value { return boolean(&c.Prices.AutoAdjust) }},
		{name: "pricePerGateway", former: []string{"pricePerBroadcaster"}, mark: "M", roles: orchestrator,
			help: `prices of transcoding for single gateways: JSON, or the path of a file, ` +
				`{"gateways":[{"ethaddress":…,"priceperunit":…,"currency":…,"pixelsperunit":…}]}`,
			to: func(c *Config) value { return document(&c.Prices.PerGateway) }},
		{name: "maxPricePerUnit", mark: "G", roles: gateway | remoteSigner, unset: "none",
			help: "most a gateway pays for -pixelsPerUnit pixels, or units of AI work: whole wei, or an amount " +
				"with its currency; 0 is no bound",
			to: func(c *Config) value { return price(&c.Prices.MaxPerUnit) }},
		{name: "maxPricePerCapability", mark: "G", roles: gateway | remoteSigner,
			help: `most a gateway pays per pipeline and model: JSON, or the path of a file, ` +
				`{"capabilities_prices": [{"pipeline":…, "model_id":…, "price_per_unit":…, "pixels_per_unit":…, "currency":…}]}`,
			to: func(c *Config) value { return document(&c.Prices.MaxPerCapability) }},
		{name: "ignoreMaxPriceIfNeeded", mark: "G", roles: gateway,
			help: "take an orchestrator above the maximum price when no other is available",
			to:   func(c *Config) value { return boolean(&c.Prices.IgnoreMaxIfNeeded) }},
	}
}

func ticketRows() []option {
	return []option{
		{name: "ticketEV", mark: "M", roles: orchestrator | redeemer, preset: "8000000000",
			help: "expected value that one ticket must have, in wei",
			to:   func(c *Config) value { return wei(&c.Tickets.EV) }},
		{name: "maxFaceValue", mark: "M", roles: orchestrator | redeemer, preset: "0",
			help: "largest face value of a ticket in wei, must exceed -ticketEV; 0 for no bound",
			to:   func(c *Config) value { return wei(&c.Tickets.MaxFaceValue) }},
		{name: "maxTicketEV", mark: "G", roles: gateway | remoteSigner, preset: "3000000000000",
			help: "largest expected value of one ticket sent, in wei",
			to:   func(c *Config) value { return wei(&c.Tickets.MaxEV) }},
		{name: "maxTotalEV", mark: "G", roles: gateway | remoteSigner, preset: "20000000000000",
			help: "largest expected value of the tickets in one payment, in wei",
			to:   func(c *Config) value { return wei(&c.Tickets.MaxTotalEV) }},
		{name: "maxCreditEV", mark: "G", roles: gateway, unset: "-maxTotalEV",
			help: "largest expected value of the tickets that one orchestrator holds without having worked for " +
				"them, in wei, in addition to the price of its work in the last minutes",
			to: func(c *Config) value { return optionalWei(&c.Tickets.maxCredit) }},
		{name: "depositMultiplier", mark: "G", roles: gateway | remoteSigner, preset: "1",
			help: "the face value of a ticket is at most the deposit divided by this",
			to:   func(c *Config) value { return whole(&c.Tickets.DepositMultiplier, 1, 1_000_000) }},
	}
}

func gasRows() []option {
	return []option{
		{name: "transactionTimeout", mark: "M", preset: "5m",
			help: "how long a transaction waits before it is replaced",
			to:   func(c *Config) value { return duration(&c.Gas.Timeout, time.Second) }},
		{name: "maxTransactionReplacements", mark: "M", preset: "1", help: "how often a transaction is replaced",
			to: func(c *Config) value { return whole(&c.Gas.Replacements, 0, 100) }},
		{name: "gasLimit", mark: "A", preset: "0", help: "gas of one transaction, 0 to estimate it",
			to: func(c *Config) value { return whole(&c.Gas.Limit, 0, 1_000_000_000) }},
		{name: "minGasPrice", mark: "A", unset: "1 gwei on layer 1, 0 on layer 2",
			help: "lowest gas price offered, in wei",
			to:   func(c *Config) value { return optionalWei(&c.Gas.MinPrice) }},
		{name: "maxGasPrice", mark: "M", preset: "0", help: "highest gas price offered, in wei; 0 for no bound",
			to: func(c *Config) value { return wei(&c.Gas.MaxPrice) }},
	}
}
