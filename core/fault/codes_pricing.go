package fault

// Prices and the rate of their currency.
const (
	// PriceCapMissing: a gateway pays any price.
	PriceCapMissing Code = "PriceCapMissing"
	// ModelUnpriced is a health condition: a worker brings models that this node has no
	// price for. Class config. Remedy: name them in -aiModels.
	ModelUnpriced Code = "ModelUnpriced"
	// PriceOutOfRange (class BadRequest): more wei for a single unit than offers can
	// carry. Remedy: write wei, or name the unit.
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
