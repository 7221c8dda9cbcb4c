package fault

// ledgerRows are about the books of an orchestrator that is paid.
var ledgerRows = []Row{
	{
		Code: LedgerFailed, Class: Internal,
		Cause:  "The file `tutti.db` in the data directory could not be opened or read, or a write to it failed in such a way that nobody knows whether it reached the disk. In the second case the node takes no more payments and ends, because what it has in memory may no longer be what is on disk.",
		Remedy: "Look at the message and at the system's log for disk errors, mend the disk, and start the node again: it reads what is on disk and goes on from there, under a fresh secret. Run `tutti ledger verify` first if the disk was damaged. Make sure that only one node uses the data directory.", Retryable: true,
	},
	{
		Code: LedgerFull, Class: Internal,
		Symptom: "`database or disk is full`",
		Cause:   "A payment could not be written to `tutti.db`, most often because there is no room on its disk. The payment was refused and nothing of it was booked; the sender may send it again.",
		Remedy:  "Make room on the disk that holds the data directory. The node goes on by itself with the next payment that can be written; no restart is needed.", Retryable: true,
	},
	{
		Code: LedgerRefused, Class: Internal,
		Cause:  "An entry contradicts the books: a ticket that was credited before, other terms for a set of tickets that is known, a negative amount, or news of a ticket that nobody knows. The entry was not booked, others were not affected.",
		Remedy: "Single cases after a restart need nothing: a gateway sent a ticket twice. If they go on, run `tutti ledger verify` and report the message with its result.",
	},
	{
		Code: LedgerUnbalanced, Class: Internal,
		Cause:  "`tutti ledger verify` worked out balances and totals again from the entries and found others than those in the books. `tutti.db` was damaged or changed by something else than the node.",
		Remedy: "Keep a copy of `tutti.db` with its `-wal` file and report what the command said. Winning tickets are independent of the balances: `tutti ledger export -tickets` lists them, and the node goes on redeeming those that are whole.",
	},
	{
		Code: LedgerAbsent, Class: NotFound,
		Cause:  "The data directory holds no books: no orchestrator was paid with it so far, or it is another directory than the node's.",
		Remedy: "Give the node's own `-dataDir`, `-network` or `-config`. The books are made when an orchestrator starts on a chain.",
	},
}
