package fault

// Verdicts of the operator's guards on requests and answers of models.
const (
	// GuardRefused (class BadRequest): a guard of the gateway's operator refuses a request or an answer; the
	// detail is its text.
	GuardRefused Code = "GuardRefused"
	// GuardFailed (class Upstream, retryable): a guard gave no verdict.
	GuardFailed Code = "GuardFailed"
	// GuardFileInvalid (class Config): the file of -aiGuards cannot be used.
	GuardFileInvalid Code = "GuardFileInvalid"
)

// guardsRows are the conditions of guards. Read-only.
var guardsRows = []Row{
	{
		Code: GuardRefused, Class: BadRequest,
		Cause: "A guard that the gateway's operator put before or after the models (`-aiGuards`) refuses the " +
			"request or the answer; the text is the guard's.",
		Remedy: "Change the request as the text says; asking again with the same words does not help.",
	},
	{
		Code: GuardFailed, Class: Upstream,
		Cause: "A guard of `-aiGuards` could not be asked, took longer than its `timeout`, or its verdict was not " +
			"understood. A request is refused then, unless the guard's `on_failure` is `pass` and it " +
			"gives no verdict about another one either.",
		Remedy: "Check that the guard's service is up, or that its program runs and writes one line for each " +
			"question; the gateway's log has the reason. docs/llm.md has the form.", Retryable: true,
	},
	{
		Code: GuardFileInvalid, Class: Config,
		Cause: "The file of `-aiGuards` cannot be read, others may read the secrets in it, or entries in it are wrong.",
		Remedy: "Correct what the text names; a file with `headers` in it wants `chmod 600`. docs/llm.md has the " +
			"form.",
	},
}
