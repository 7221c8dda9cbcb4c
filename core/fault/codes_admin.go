package fault

// The admin listener: who may ask for what, and what is asked for.
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
