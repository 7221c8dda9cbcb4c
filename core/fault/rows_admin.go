package fault

// adminRows are the refusals of the loopback admin listener.
var adminRows = []Row{
	{
		Code: AdminHostRefused, Class: Forbidden,
		Cause:  "A request on the admin port names a host that is not this machine's loopback nor the address of `-cliAddr`. That is how a web page reaches into a local network.",
		Remedy: "Use http://127.0.0.1:PORT or the host of `-cliAddr`; behind a proxy, let it send that host name.",
	},
	{
		Code: AdminCrossSite, Class: Forbidden,
		Cause:  "A browser sent a change to the admin port from a page of another site.",
		Remedy: "Make changes with tutti_cli or curl on the same machine. If you did not, a page you visited tried to change the node.",
	},
	{
		Code: AdminBadParam, Class: BadRequest,
		Symptom: "`missing form param: …`",
		Cause:   "A field of an admin request is missing or has a value that is not allowed.",
		Remedy:  "Send the field that the answer names, URL-encoded in the query or the body.",
	},
	{
		Code: MissingETHClient, Class: BadRequest,
		Symptom: "`missing ETH client`",
		Cause:   "The action needs the chain, and the node runs off-chain.",
		Remedy:  "Start the node with `-network` and `-ethUrl` to use on-chain actions.",
		Wire:    "missing ETH client",
	},
}
