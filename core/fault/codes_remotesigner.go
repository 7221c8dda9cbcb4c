package fault

// Codes of the remote signer.
const (
	// SignerBudgetSpent (class Payment): an auth id has spent its daily limit.
	SignerBudgetSpent Code = "SignerBudgetSpent"
	// SignerBudgetFailed (class Internal, retryable): what was spent could not be read or written.
	SignerBudgetFailed Code = "SignerBudgetFailed"
	// SignerWebhookFailed (class Internal, retryable): the operator's webhook could not be asked about a payment.
	SignerWebhookFailed Code = "SignerWebhookFailed"
	// SignerExposed (class Config): other machines reach a remote signer that signs for every caller.
	SignerExposed Code = "SignerExposed"
	// SignerUnreachable (class Upstream, retryable): a gateway's remote signer does not answer.
	SignerUnreachable Code = "SignerUnreachable"
	// SignerRefused (class Payment): a gateway's remote signer refused a payment.
	SignerRefused Code = "SignerRefused"
)

// remoteSignerRows are the problems of the remote signer. Read-only.
var remoteSignerRows = []Row{
	{
		Code: SignerBudgetSpent, Class: Payment,
		Cause: "The tickets that were signed today (UTC) for the auth id in the text have come to the daily limit, and " +
			"its payments are refused until tomorrow.",
		Remedy: "Raise `-remoteSignerDailyLimit` if that is intended; else look at what this caller does.",
	},
	{
		Code: SignerBudgetFailed, Class: Internal,
		Cause: "What callers spent today could not be read from or written to tutti.db, so nothing is signed.",
		Remedy: "Check that the disk has space, that the file belongs to the node's user, and that no other " +
			"program holds it locked.", Retryable: true,
	},
	{
		Code: SignerWebhookFailed, Class: Internal,
		Cause: "The operator's webhook could not be asked about a payment, or its answer was not understood; a payment is " +
			"refused unless the webhook admits it.",
		Remedy: "Check that the `-remoteSignerWebhookUrl` service is up, and that it answers with status 200 and JSON " +
			"with a `status`.", Retryable: true,
	},
	{
		Code: SignerExposed, Class: Config,
		Cause: "The remote signer would listen where other machines reach it, and sign payments for each of them.",
		Remedy: "Leave `-httpAddr` out, name a service that admits callers with `-remoteSignerWebhookUrl`, or write " +
			"`-remoteSignerAllowNoAuth` where a firewall or proxy admits them.",
	},
	{
		Code: SignerUnreachable, Class: Upstream,
		Cause: "The service that signs this gateway's payments does not answer.",
		Remedy: "Check that the signer at `-remoteSignerUrl` runs and can be reached: `curl -X POST " +
			"URL/sign-orchestrator-info` must answer.", Retryable: true,
	},
	{
		Code: SignerRefused, Class: Payment,
		Cause:  "The service that signs this gateway's payments refused one; the text has its reason.",
		Remedy: "Ask the signer's operator; its log, or its webhook, says why.",
	},
}
