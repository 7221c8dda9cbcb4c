package fault

// The service that an orchestrator asks about gateways.
const (
	// GatewayDenied (class Forbidden): the operator's service does not admit the gateway. Wire: "authentication
	// failed: " and the service's text.
	GatewayDenied Code = "GatewayDenied"
	// GatewayHookFailed (class Upstream): the service could not be asked, or its answer cannot be used.
	GatewayHookFailed Code = "GatewayHookFailed"
	// GatewayHookBusy (class Busy): too many gateways wait for the service.
	GatewayHookBusy Code = "GatewayHookBusy"
)

// gatewayHookRows are the conditions of that service. Read-only.
var gatewayHookRows = []Row{
	{
		Code: GatewayDenied, Class: Forbidden,
		Cause: "The service of the orchestrator's `-authWebhookUrl` answered with a status of 400 to 499: it does not " +
			"admit the gateway.",
		Remedy: "None needed if the gateway is to be kept out. Otherwise admit its account in the service; the node asks " +
			"again after 5 seconds.",
		Wire: "authentication failed: {detail}",
	},
	{
		Code: GatewayHookFailed, Class: Upstream,
		Cause: "The service of the orchestrator's `-authWebhookUrl` could not be asked about a gateway, or its answer " +
			"cannot be used: its status is neither 200 nor 400 to 499, it is no JSON, or its price cannot be asked for. " +
			"Gateways that it did not admit within the last 30 minutes get no offer.",
		Remedy: "Check that the service is up, that it answers within 3 seconds, and that `priceInfo` has whole numbers " +
			"`pricePerUnit` and `pixelsPerUnit`; `curl -d '{\"id\":\"0x…\"}' URL` shows its answer.",
		Wire: "authentication failed", Retryable: true,
	},
	{
		Code: GatewayHookBusy, Class: Busy,
		Cause: "More gateways ask for offers for the first time than the service of the orchestrator's `-authWebhookUrl` " +
			"answers.",
		Remedy: "Make the service faster. If most requests come from few addresses, block these in the firewall.",
		Wire:   "authentication failed", Retryable: true,
	},
}
