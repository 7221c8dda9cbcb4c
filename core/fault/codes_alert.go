package fault

// Alerts of lasting conditions.
const (
	// AlertUndelivered: an alert could not be delivered to a sink of -alert.
	AlertUndelivered Code = "AlertUndelivered"
	// AlertNobody: a test of alerts was requested, and -alert is not set.
	AlertNobody Code = "AlertNobody"
	// AlertsTooMany: more conditions are set at once than have alerts of their own.
	AlertsTooMany Code = "AlertsTooMany"
)

// alertRows are what becomes of alerts. Read-only.
var alertRows = []Row{
	{
		Code: AlertUndelivered, Class: Upstream, Retryable: true,
		Cause: "An alert could not be delivered to one of the addresses of `-alert`: its service does not answer, " +
			"refuses, or the program failed. The alert waits and is tried again with growing pauses.",
		Remedy: "Run `tutti alert test` with the node's options: it names the address by kind and host and says " +
			"what went wrong. A status of 401, 403 or 404 means that the address is no longer valid: make a " +
			"new one in the service and change `-alert`.",
	},
	{
		Code: AlertNobody, Class: Config,
		Cause: "A test of alerts was requested, and `-alert` is not set.",
		Remedy: "Give `tutti alert test` the node's own options, with `-alert` among them, such as `-alert " +
			"slack+https://hooks.slack.com/services/…`.",
	},
	{
		Code: AlertsTooMany, Class: Internal,
		Cause: "More than 1000 conditions are set at once, which usually have one cause: a network that is down, " +
			"or a great many workers that left. The further ones have no alerts of their own.",
		Remedy: "Look at the dashboard or at `tutti_cli conditions` for what most of them have in common, and " +
			"fix that first.",
	},
}
