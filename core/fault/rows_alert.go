package fault

// alertRows are what becomes of alerts.
var alertRows = []Row{
	{
		Code: AlertUndelivered, Class: Upstream, Retryable: true,
		Cause:  "One of the addresses of `-alert` could not be told of a trouble: its service does not answer, refuses, or the program failed. The alert waits and is tried again with growing pauses.",
		Remedy: "Run `tutti alert test` with the node's options: it names the address by kind and host and says what went wrong. A status of 401, 403 or 404 means that the address is no longer valid: make a new one in the service and change `-alert`.",
	},
	{
		Code: AlertNobody, Class: Config,
		Cause:  "A test of alerts was asked for, and `-alert` names nobody.",
		Remedy: "Give `tutti alert test` the node's own options, with `-alert` among them, such as `-alert slack+https://hooks.slack.com/services/…`.",
	},
	{
		Code: AlertsTooMany, Class: Internal,
		Cause:  "More than 1000 troubles hold at once, which have one cause as a rule: a network that is down, or a great many workers that left. Those beyond are told together, by this alert alone.",
		Remedy: "Look at the dashboard or at `tutti_cli conditions` for what most of them have in common, and mend that first.",
	},
}
