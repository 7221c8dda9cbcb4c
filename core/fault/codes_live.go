package fault

// Codes of live work and its payment.
const (
	// LiveSessionExists (bad request): a payment begins a session that is in progress.
	LiveSessionExists Code = "LiveSessionExists"
	// LiveRunnerPriceUnavailable: a live runner has no price in wei.
	LiveRunnerPriceUnavailable Code = "LiveRunnerPriceUnavailable"
	// LiveHeartbeatFailed: the service of -liveAIHeartbeatURL does not answer as it should.
	LiveHeartbeatFailed Code = "LiveHeartbeatFailed"
	// MediaAddressRefused (forbidden): a stream's address at a media server that this gateway does not connect to.
	MediaAddressRefused Code = "MediaAddressRefused"
	// MediaServerUnreachable (upstream, retryable): a media server does not take a connection or a stream.
	MediaServerUnreachable Code = "MediaServerUnreachable"
	// CapabilityLost: an external capability was removed because its server does not serve.
	CapabilityLost Code = "CapabilityLost"
	// CapabilityUnknown: no external capability of a name is registered.
	CapabilityUnknown Code = "CapabilityUnknown"
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
		Code: LiveHeartbeatFailed, Class: Upstream,
		Cause: "The service that is notified of live streams does not answer, or not as it should. Streams go on, and " +
			"none that it would end is ended.",
		Remedy: "Check that the service of `-liveAIHeartbeatURL` is up, takes the headers of " +
			"`-liveAIHeartbeatHeaders`, and answers with a status of 200 to 299 and JSON or nothing.", Retryable: true,
	},
	{
		Code: MediaAddressRefused, Class: Forbidden,
		Cause: "A client names a stream of a media server that is neither on the internet nor at the client's own " +
			"address, or that is no rtmp address.",
		Remedy: "Call from the media server itself, or name its network with `-objectStoreNetworks 10.1.0.0/16`.",
	},
	{
		Code: MediaServerUnreachable, Class: Upstream,
		Cause:  "A media server does not take the connection, or refuses the stream.",
		Remedy: "Check the address and that the media server listens there.", Retryable: true,
	},
	{
		Code: CapabilityLost, Class: Upstream,
		Symptom: "Gateways get HTTP 503 `No capacity available for capability`",
		Cause: "The server of an external capability could not be reached, or refused the token that it registered " +
			"with, so the capability was removed.",
		Remedy: "Start the capability's server and register it again: `POST /capability/register`. Unregister it if it " +
			"is not to come back.",
	},
	{
		Code: CapabilityUnknown, Class: NotFound,
		Cause:  "No external capability of that name is registered: it is written differently, or was removed.",
		Remedy: "See the names with `tutti_cli capabilities list`.",
	},
}
