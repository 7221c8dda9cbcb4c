package fault

// The orchestrator's books.
const (
	// LedgerFailed: the ledger stopped, or could not be opened or read.
	LedgerFailed Code = "LedgerFailed"
	// LedgerFull: an entry could not be written; nothing was booked.
	LedgerFull Code = "LedgerFull"
	// LedgerRefused: an entry contradicts the books.
	LedgerRefused Code = "LedgerRefused"
	// LedgerUnbalanced: the books do not add up.
	LedgerUnbalanced Code = "LedgerUnbalanced"
	// LedgerAbsent: there are no books in the data directory.
	LedgerAbsent Code = "LedgerAbsent"
	// LedgerDamaged: entries cannot be written because what they touch is damaged.
	LedgerDamaged Code = "LedgerDamaged"
	// LedgerHeight: the books remember a layer-1 height that the chain does not have.
	LedgerHeight Code = "LedgerHeight"
	// LedgerRestored: the books are an older copy.
	LedgerRestored Code = "LedgerRestored"
	// LedgerMoved: the books are in another database now.
	LedgerMoved Code = "LedgerMoved"
)
