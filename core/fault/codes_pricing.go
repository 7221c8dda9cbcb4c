package fault

// Prices and the rate of their currency.
const (
	// PriceCapMissing: a gateway pays any price.
	PriceCapMissing Code = "PriceCapMissing"
	// ModelUnpriced is a health condition: a worker offers models without a price at this node.
	ModelUnpriced Code = "ModelUnpriced"
	// PriceOutOfRange (class BadRequest): more wei for a single unit than offers can carry.
	PriceOutOfRange Code = "PriceOutOfRange"
	// PriceCurrencyUnknown (class BadRequest): there is no rate for a price's
	// currency and never will be.
	PriceCurrencyUnknown Code = "PriceCurrencyUnknown"
	// PriceRateUnknown (class Upstream, retryable): a price is in a currency whose
	// rate is not known yet, so nothing is quoted.
	PriceRateUnknown Code = "PriceRateUnknown"
	// PriceRateDoubtful (class Upstream, retryable): the feed's answer is old or
	// jumped, and is not used.
	PriceRateDoubtful Code = "PriceRateDoubtful"
	// PriceFeedFailing (class Upstream, retryable): the feed gave no usable answer.
	PriceFeedFailing Code = "PriceFeedFailing"
	// PriceImplausible (condition): a price that no market pays.
	PriceImplausible Code = "PriceImplausible"
	// PriceRoundsToZero (condition): a price so small that offers carry 0.
	PriceRoundsToZero Code = "PriceRoundsToZero"
)

// pricingRows are prices, and the rate of the currency they are in. Read-only.
var pricingRows = []Row{
	{
		Code: ModelUnpriced, Class: Config,
		Symptom: "an AI worker is registered and gets no jobs",
		Cause: "A remote AI worker offers models that this orchestrator has no price for. Prices are the " +
			"orchestrator's: a model without one is not offered.",
		Remedy: "Name the models in the orchestrator's own `-aiModels` with `price_per_unit`, and restart " +
			"it; on one that runs models itself, with `\"remote\": true` next to it, so that nothing is " +
			"started here.",
	},
	{
		Code: PriceImplausible, Class: Config,
		Symptom: "few or no jobs and no errors",
		Cause: "A price is so far above every market that no gateway pays it: a million wei for a pixel of " +
			"video, 10^10 for a pixel of an image, 10^12 for a token, a millisecond of audio or a byte of " +
			"speech. Most often it is an amount of a whole currency taken for wei, or `-pixelsPerUnit` or " +
			"`pixels_per_unit` was left out of a price that is meant for many units. A fraction without a " +
			"currency, such as 0.5, is an amount of a whole currency for certain, and the node does not " +
			"start with it.",
		Remedy: "Compare with what others ask (some 1000 wei for a pixel of video, 0.08 USD for a million tokens " +
			"of a small model) and correct the price that the message names: prices are in wei for one unit, " +
			"or name a currency and the number of units, `-pricePerUnit 0.1USD -pixelsPerUnit " +
			"1000000000000`. `tutti_cli price set` changes it without a restart.",
	},
	{
		Code: PriceRoundsToZero, Class: Config,
		Cause: "A price is above 0 and so small that offers would carry 0: with `-autoAdjustPrice` they carry " +
			"prices in thousandths of a wei, rounded down. The work would be done for nothing, so the price " +
			"is refused: in an option at the start, in the models file for that model. Where a currency's " +
			"rate made the price so small, nothing is offered at it.",
		Remedy: "Raise the price, or lower `-pixelsPerUnit` (`pixels_per_unit` in the models file): the price " +
			"divided by it must be at least 0.001 wei. Write a price of 0 if free work is meant.",
	},
	{
		Code: PriceOutOfRange, Class: BadRequest,
		Cause: "A price is more than 10^15 wei, a thousandth of an ETH, for a single pixel or token, or an " +
			"amount of a currency that cannot be meant: more than 1000, or less than 10^-21, for a single " +
			"one. Offers cannot carry it; a whole amount of a currency was most likely taken for wei.",
		Remedy: "Write wei for one unit (`-pricePerUnit 1200`), or name the currency and how many units it buys " +
			"(`-pricePerUnit 0.1USD -pixelsPerUnit 1000000000000`).",
	},
	{
		Code: PriceCurrencyUnknown, Class: BadRequest,
		Symptom: "`error converting price`",
		Cause: "A price is in a currency whose rate is unknown: the price feed is for another currency, " +
			"the name is mistyped, or the node has no feed.",
		Remedy: "Write the price in wei, ETH or the feed's currency (USD for the usual feed), or name another " +
			"feed contract with `-priceFeedAddr`. Until then nothing is quoted at that price.",
	},
	{
		Code: PriceRateUnknown, Class: Upstream,
		Cause: "A price is in a currency, and the price feed has not reported its rate since the start. Jobs at " +
			"that price are refused rather than done for nothing; a price limit of a gateway counts as 0.",
		Remedy: "None needed in the first minute: the rate is requested as soon as the endpoint answers, and " +
			"again until it is known. If it lasts, see PriceFeedFailing; a price in wei needs no rate.",
		Retryable: true,
	},
	{
		Code: PriceFeedFailing, Class: Upstream,
		Cause: "The price feed contract did not answer, or its answer is not that of a feed between ETH and one " +
			"currency: the endpoint is down, or `-priceFeedAddr` is no feed on this network. The last rate " +
			"stays in use.",
		Remedy: "Check the endpoint in `-ethUrl` (see the other conditions) and `-priceFeedAddr`. It is queried " +
			"again by itself; a price in wei needs no feed.", Retryable: true,
	},
	{
		Code: PriceRateDoubtful, Class: Upstream,
		Cause: "The price feed's answer is more than a day old, is for another currency than before, or differs " +
			"by more than half for every hour since the last rate that was taken. The last rate stays in " +
			"use; a jump that lasts is taken within hours.",
		Remedy: "Compare the rate in the message with the market. If the feed stands still, name another one " +
			"with `-priceFeedAddr` or write prices in wei.", Retryable: true,
	},
	{
		Code: PriceCapMissing, Class: Config,
		Cause: "The gateway pays orchestrators on the chain and has no `-maxPricePerUnit`, or ignores it " +
			"where no orchestrator keeps within (`-ignoreMaxPriceIfNeeded`), so it takes " +
			"any price. Then only the worth of a ticket, the worth of a payment and the deposit bound what " +
			"one orchestrator gets.",
		Remedy: "Give the most that you pay for a pixel, for example `-maxPricePerUnit 2000`, and for models " +
			"`-maxPricePerCapability`; keep no more in the deposit than you would lose " +
			"(`tutti_cli status` shows it).",
	},
}
