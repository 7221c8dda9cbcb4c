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
	// LedgerMarkDamaged: it cannot be read how far the books had come.
	LedgerMarkDamaged Code = "LedgerMarkDamaged"
	// LedgerMoved: the books are in another database now.
	LedgerMoved Code = "LedgerMoved"
)

// ledgerRows are about the books of an orchestrator that is paid. Read-only.
var ledgerRows = []Row{
	{
		Code: LedgerFailed, Class: Internal,
		Cause: "The file `tutti.db` in the data directory could not be opened or read, or a write to it failed " +
			"in such a way that it is unknown whether it reached the disk, or the books lost commits while the node " +
			"ran: another file was put in the place of `tutti.db`, or a PostgreSQL server failed over to a replica " +
			"that lacks them. In the last two cases the node takes no more payments and ends, because what it has " +
			"in memory may no longer be what is on disk.",
		Remedy: "Look at the message and at the system's log for disk errors, repair the disk, and start the node " +
			"again: it reads what is on disk and goes on from there, under a fresh secret. Run `tutti ledger " +
			"verify` first if the disk was damaged. Make sure that only one node uses the data directory. With " +
			"`-store` a condition about tickets that are handed over needs no action: it ends when the database " +
			"answers again.",
		Retryable: true,
	},
	{
		Code: LedgerFull, Class: Internal,
		Symptom: "`database or disk is full`",
		Cause: "A payment could not be written to `tutti.db`, most often because its disk is full. " +
			"The payment was refused and nothing of it was booked; the sender may send it again.",
		Remedy: "Free space on the disk that holds the data directory. The node continues by itself with the next " +
			"payment that can be written; no restart is needed.", Retryable: true,
	},
	{
		Code: LedgerRefused, Class: Internal,
		Cause: "An entry contradicts the books: a ticket that was credited before, other terms for a set of " +
			"tickets that is known, a negative amount, or an event of an unknown ticket. The entry was " +
			"not booked, others were not affected.",
		Remedy: "Single cases after a restart need nothing: a gateway sent a ticket twice. If they go on, run " +
			"`tutti ledger verify` and report the message with its result.",
	},
	{
		Code: LedgerUnbalanced, Class: Internal,
		Cause: "`tutti ledger verify` worked out balances and totals again from the entries and found others " +
			"than those in the books. `tutti.db` was damaged or changed by something other than the node.",
		Remedy: "Keep a copy of `tutti.db` with its `-wal` file and report what the command said. Winning " +
			"tickets are independent of the balances: `tutti ledger export -tickets` lists them, and the " +
			"node goes on redeeming those that are whole.",
	},
	{
		Code: LedgerAbsent, Class: NotFound,
		Cause: "The data directory holds no books: no orchestrator was paid with it so far, or it is another " +
			"directory than the node's.",
		Remedy: "Give the node's own `-dataDir`, `-network` or `-config`. The books are made when an " +
			"orchestrator starts on a chain.",
	},
	{
		Code: LedgerDamaged, Class: Internal,
		Cause: "An entry could not be written though others can: a row of `tutti.db` that belongs to it, an " +
			"account or a set of tickets, holds what cannot be there. That entry was refused; payments that " +
			"do not touch the row go on. The message says which entry it was and what the database said.",
		Remedy: "Run `tutti ledger verify`, which names what does not add up, and keep a copy of `tutti.db` with " +
			"its `-wal` file. Look at the system's log for disk errors. The condition stays until the next " +
			"start, and comes back when the row is touched again; report it with the result of the command. " +
			"Winning tickets are independent of it.",
	},
	{
		Code: LedgerHeight, Class: Internal,
		Symptom: "gateways get no ticket parameters, or every payment is answered `TicketParams expired`",
		Cause: "For ten minutes the chain has shown a layer-1 height that is more than 100 blocks below the one " +
			"in the books, most likely because an Ethereum endpoint once reported a wrong one, that of layer 2 " +
			"for example. Tickets that expire below the height in the books are refused, which is nearly " +
			"every ticket.",
		Remedy: "Check that `-ethUrl` names endpoints of the right network and that they are not hours behind. " +
			"If the height that the message gives for the chain is the right one, the node adopts it after an " +
			"hour with a fresh secret, so that no ticket can be paid twice, or at once when it is restarted. " +
			"Nothing that was earned is lost. If the endpoint was behind, the condition goes away by itself " +
			"when it has caught up.",
	},
	{
		Code: LedgerRestored, Class: Internal,
		Cause: "The books are an older copy than the node worked with last: `ledger.mark` in the data directory " +
			"says that they had come further. Nothing that was taken since the copy is credited again, " +
			"because every start begins with a fresh secret, and what gateways had in their accounts by the " +
			"copy is not given a second time. Winning tickets that the copy lacks are not in the books.",
		Remedy: "If a newer `tutti.db` exists (with its `-wal` file), stop the node and put it back, because it " +
			"alone has the winning tickets since the copy. For a ledger in PostgreSQL, point `-store` at " +
			"the newest state. If the copy is all there is, nothing needs to be done; the condition goes " +
			"with the next start.",
	},
	{
		Code: LedgerMarkDamaged, Class: Internal,
		Cause: "`ledger.mark` in the data directory (`ledger.NAME.mark` for a book in PostgreSQL), which says how " +
			"far the books had come, cannot be read, or does not say it. The books themselves are in `tutti.db` " +
			"or in the database of `-store`, and nothing is known to be wrong with them. Without the mark the " +
			"node cannot see whether they are an older copy, so it does not begin.",
		Remedy: "See that the file belongs to the node's user. If what it holds is damaged, and the books were not " +
			"put back from a copy, move the file away and start the node again: it makes a new one. If they were " +
			"put back, put back the newest `tutti.db` first: a copy without a mark is taken for the newest, and " +
			"what gateways had in their accounts by it, a few tickets each, can be used again. Look at the " +
			"system's log for disk errors, too.",
	},
	{
		Code: LedgerMoved, Class: Internal,
		Cause: "`tutti ledger move` took the books of this data directory into the database of `-store`, where " +
			"they go on; or it was interrupted while it did. Two copies of the books would count the same " +
			"tickets, so the file is not opened as a ledger again, and neither is an older copy of it.",
		Remedy: "Start the node with `-store /path/to/store`. If `tutti ledger move` was interrupted, run it " +
			"again: it continues where it stopped.",
	},
}
