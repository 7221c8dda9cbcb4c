package fault

// Codes of live work and its payment.
const (
	// LiveSessionExists (bad request): a payment begins a session that is in progress.
	LiveSessionExists Code = "LiveSessionExists"
	// LiveRunnerPriceUnavailable: a live runner has no price in wei.
	LiveRunnerPriceUnavailable Code = "LiveRunnerPriceUnavailable"
	// CapabilityLost: an external capability was removed because its server does not serve.
	CapabilityLost Code = "CapabilityLost"
)

// liveRows are the conditions of live work and its payment. Read-only.
var liveRows = []Row{
	{
		Code: LiveSessionExists, Class: BadRequest,
		Symptom: "HTTP 409 `session already exists`",
		Cause:   "A client begins a live session again that is in progress.",
		Remedy:  "None at the orchestrator. The client uses the session that it has, or asks for a new offer.",
		Wire:    "session already exists",
	},
	{
		Code: LiveRunnerPriceUnavailable, Class: Upstream,
		Symptom: "HTTP 503 `live runner price unavailable`",
		Cause: "A live runner has no price in wei: the rate of its currency is not known, or the price is less than " +
			"1 wei for a unit. It is listed without a price, and clients cannot use it.",
		Remedy: "Check `-priceFeedAddr` and the endpoint of `-ethUrl`; raise `price_info` of a runner whose price is too " +
			"small.",
		Wire: "live runner price unavailable: " + detailMark, Retryable: true,
	},
	{
		Code: CapabilityLost, Class: Upstream,
		Symptom: "Gateways get HTTP 503 `No capacity available for capability`",
		Cause: "The server of an external capability could not be reached, or refused the token that it registered " +
			"with, so the capability was removed.",
		Remedy: "Start the capability's server and register it again: `POST /capability/register`. Unregister it if it " +
			"is not to come back.",
	},
}
