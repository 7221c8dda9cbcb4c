package fault

// The admin listener: access control and requests.
const (
	// AdminTokenRequired: a request that needs the token came without one.
	AdminTokenRequired Code = "AdminTokenRequired"
	// AdminTokenRefused: the token is another one than the node's.
	AdminTokenRefused Code = "AdminTokenRefused"
	// AdminTokenTries: one sender tried too many wrong tokens.
	AdminTokenTries Code = "AdminTokenTries"
	// AdminTokenFile: the token's file cannot be used.
	AdminTokenFile Code = "AdminTokenFile"
	// AdminNeedsPost: a change was asked for by another method than POST.
	AdminNeedsPost Code = "AdminNeedsPost"
	// AdminExposed: the listener would be reachable from elsewhere unprotected.
	AdminExposed Code = "AdminExposed"
	// AdminAuditFailed: the log of changes cannot be written.
	AdminAuditFailed Code = "AdminAuditFailed"
	// AdminBadBody: a JSON body is not what the route takes.
	AdminBadBody Code = "AdminBadBody"
	// AdminPathUnknown: nothing has this path.
	AdminPathUnknown Code = "AdminPathUnknown"
	// AdminPartAbsent: this node has no such part.
	AdminPartAbsent Code = "AdminPartAbsent"
	// TransactionPending: the transaction was sent and is not mined in the time that
	// a request waits.
	TransactionPending Code = "TransactionPending"
	// OrchestratorRegistered: the account is an orchestrator already.
	OrchestratorRegistered Code = "OrchestratorRegistered"
	// AccountNotOrchestrator: the node's account is not the orchestrator it works for.
	AccountNotOrchestrator Code = "AccountNotOrchestrator"
)

// What the admin listener refuses.
const (
	// AdminHostRefused: the Host header names something that is not this listener.
	AdminHostRefused Code = "AdminHostRefused"
	// AdminCrossSite: a browser page of another site asked for a change.
	AdminCrossSite Code = "AdminCrossSite"
	// AdminBadParam: a form field is missing or malformed.
	AdminBadParam Code = "AdminBadParam"
	// MissingETHClient: a chain route was asked of a node that runs off-chain.
	MissingETHClient Code = "MissingETHClient"
)

// adminRows are the refusals of the loopback admin listener. Read-only.
var adminRows = []Row{
	{
		Code: AdminHostRefused, Class: Forbidden,
		Cause: "A request on the admin port names a host that is not this machine's loopback nor the address of " +
			"`-cliAddr`. That is how a web page reaches into a local network.",
		Remedy: "Use http://127.0.0.1:PORT or the host of `-cliAddr`; behind a proxy, let it send that host name.",
	},
	{
		Code: AdminCrossSite, Class: Forbidden,
		Cause: "A browser asked the admin port from a page of another site, or of another port of this machine.",
		Remedy: "Use tutti_cli or curl on the same machine, or type the address into the browser. If you did not " +
			"ask, a page you visited tried to read or change the node.",
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
	{
		Code: AdminTokenRequired, Class: Unauthenticated,
		Cause: "The request changes something, or the admin listener is reachable from other machines, and it " +
			"came without the admin token.",
		Remedy: "Use tutti_cli as the node's user, or send the header `Authorization: Bearer TOKEN` with the " +
			"content of admin.token in the data directory. For tools that know no token, start the node with " +
			"`-enableCliTxRoutes` on a loopback address.",
	},
	{
		Code: AdminTokenRefused, Class: Unauthenticated,
		Cause: "The token of the request is not this node's: it is of another node or data directory, or the " +
			"node made a new one.",
		Remedy: "Read admin.token in the data directory of the node that answers, and send all of it.",
	},
	{
		Code: AdminTokenTries, Class: Busy,
		Cause: "Too many wrong tokens came from the same sender, and this one is wrong as well.",
		Remedy: "Use the token of admin.token, which is always accepted. If you did not send them, find out which hosts " +
			"reach the admin port and close it.", Retryable: true,
	},
	{
		Code: AdminTokenFile, Class: Config,
		Cause: "admin.token in the data directory cannot be read, is readable by others, or does not hold a " +
			"token. Every user who can read it can spend from the node's account.",
		Remedy: "`chmod 600 admin.token`, owned by the node's user. If its content is damaged, delete it: the " +
			"node makes a new one at start.",
	},
	{
		Code: AdminNeedsPost, Class: BadRequest,
		Cause: "The request changes something and was not sent with POST, or a request that only reads was not " +
			"sent with GET.",
		Remedy: "Send changes with POST and the admin token, for example `curl -X POST`. For tools that know no " +
			"token, start the node with `-enableCliTxRoutes` on a loopback address; they too need POST.",
	},
	{
		Code: AdminExposed, Class: Config,
		Cause: "`-cliAddr` names an address that other machines reach, and there is no admin token yet to " +
			"protect it with.",
		Remedy: "Use `-cliAddr 127.0.0.1:7935`, or `-adminSocket /path`, and reach it through ssh. To listen " +
			"elsewhere, start once on loopback so that admin.token exists, then again: every request needs " +
			"the token then.",
	},
	{
		Code: AdminAuditFailed, Class: Config,
		Cause: "admin-audit.log in the data directory, which lists every change that was asked for, cannot be " +
			"written.",
		Remedy: "Free space on the disk and let the node's user own the file (`chmod 600 admin-audit.log`). The " +
			"changes are in the node's log meanwhile.",
	},
	{
		Code: AdminBadBody, Class: BadRequest,
		Cause: "The JSON body of an admin request has a field that is unknown, missing or wrong, is larger than " +
			"64 KiB, or is no JSON object.",
		Remedy: "Correct the field that the message names. Amounts are strings of the smallest unit, cuts whole " +
			"numbers of parts per million; /api/v1/openapi.json describes every body.",
	},
	{
		Code: AdminPathUnknown, Class: NotFound,
		Cause: "The admin API has no such path or action.",
		Remedy: "Compare the path with /api/v1/openapi.json or docs/admin-api.md; use the tutti_cli of the " +
			"node's own release.",
	},
	{
		Code: AdminPartAbsent, Class: NotFound,
		Cause: "The request is for a part that this node does not run, for example a gateway's setting on an " +
			"orchestrator.",
		Remedy: "Ask the node that has the role, or start this one with it.",
	},
	{
		Code: TransactionPending, Class: Upstream,
		Symptom: "`timed out waiting for transaction receipt`",
		Cause: "The transaction was sent and is not mined within the time that a request is held. It goes on by " +
			"itself.",
		Remedy: "Do not send it again. `tutti_cli transactions` and /api/v1/transactions show how far it came; a " +
			"high gas price is the usual reason.",
	},
	{
		Code: OrchestratorRegistered, Class: BadRequest,
		Symptom: "`orchestrator already registered`",
		Cause:   "The account is registered as an orchestrator already.",
		Remedy:  "Use `Set orchestrator config` for cuts and service address, and `bond` for more stake.",
	},
	{
		Code: AccountNotOrchestrator, Class: BadRequest,
		Cause: "The node works for the orchestrator of `-ethOrchAddr` with another account's key, and only the " +
			"orchestrator's own key may change its registration.",
		Remedy: "Do it on a node that holds the orchestrator's key, without `-ethOrchAddr`.",
	},
}
