package fault

const (
	// StoreAddress: -store is no address of a PostgreSQL database.
	StoreAddress Code = "StoreAddress"
	// StoreUnreachable: the database of -store does not answer, or takes no writes.
	StoreUnreachable Code = "StoreUnreachable"
	// StoreUnsafe: the database's commits do not wait for its disk.
	StoreUnsafe Code = "StoreUnsafe"
	// StoreBookInUse: another process has the node's book.
	StoreBookInUse Code = "StoreBookInUse"
	// StoreForeign: the database's books are another recipient's.
	StoreForeign Code = "StoreForeign"
	// StoreNotLeading: another node redeems for all books.
	StoreNotLeading Code = "StoreNotLeading"
	// StoreTakeover: another node may have sent a winning ticket a moment ago.
	StoreTakeover Code = "StoreTakeover"
	// StoreLeftBehind: tutti.db holds winning tickets that the store does not know.
	StoreLeftBehind Code = "StoreLeftBehind"
)

// storeRows are about a ledger in PostgreSQL that several nodes share. Read-only.
var storeRows = []Row{
	{
		Code: StoreAddress, Class: BadRequest,
		Cause: "`-store` is not an address like `postgres://user:password@host/name`, or its `book=` or the " +
			"file `book` in the data directory is no name of a book. The address itself is not shown, " +
			"because it holds a password.",
		Remedy: "Write the address into a file that only the node's user can read, and give the path: " +
			"`-store /path/to/store`. Check it with `psql \"$(cat /path/to/store)\"` (without `book=`). " +
			"docs/store.md has examples.",
	},
	{
		Code: StoreUnreachable, Class: Internal,
		Cause: "The PostgreSQL database of `-store` does not answer, refuses the connection, or is a standby. " +
			"Payments are refused meanwhile and gateways may send them again; work that was billed is kept " +
			"in memory and written when the database is back. A running node takes no other harm and needs " +
			"no restart.",
		Remedy: "Look at the message, then at the database: is it up (`pg_isready`), does this machine reach it, " +
			"are user and password right? After a failover the address must be that of the new primary. The " +
			"node tries again every second and goes on by itself.", Retryable: true,
	},
	{
		Code: StoreUnsafe, Class: Internal,
		Cause: "The database answers before commits are on its disk: `fsync`, `synchronous_commit` or " +
			"`full_page_writes` is off. After a power cut tickets that were answered for could be missing " +
			"and be credited twice. Or its locks do not belong to connections, because a connection pool is " +
			"in front of it or it is another product that speaks PostgreSQL's protocol: two nodes could " +
			"write one book.",
		Remedy: "`ALTER DATABASE name SET synchronous_commit = on` (for the node's user: `ALTER ROLE`), `fsync = " +
			"on` and `full_page_writes = on` in postgresql.conf; name the server itself in `-store`, " +
			"not its pool (PgBouncer, Pgpool, a provider's pooled port). Then start the node again.",
	},
	{
		Code: StoreBookInUse, Class: Internal,
		Cause: "Another process writes the same book. Each node needs a book of its own, because it alone knows " +
			"which tickets it took. Most often a data directory was copied with its file `book`, two nodes " +
			"have the same `book=` in `-store`, or the node before was not stopped. A node that was killed " +
			"gives its book up as soon as the database notices, within a moment on the same network.",
		Remedy: "`tutti ledger books` says which books are in use. Stop the other node, or give this one a name " +
			"of its own: `book=NAME` in the address of `-store`, or remove the file `book` from a copied " +
			"data directory.",
	},
	{
		Code: StoreForeign, Class: BadRequest,
		Cause: "The books in the database belong to another recipient than this node works for. Winning tickets " +
			"of one database are redeemed by whichever of its nodes leads, so all of them must be paid to " +
			"one address.",
		Remedy: "Use another database, or another schema-less database on the same server, for each recipient; " +
			"or correct `-ethOrchAddr`.",
	},
	{
		Code: StoreNotLeading, Class: Busy,
		Cause: "Another node that shares the database redeems the winning tickets of all books. This one waits " +
			"to take over.",
		Remedy: "None needed. `tutti ledger books` names the leader; ask that node for what only the leader can " +
			"do, such as trying a failed ticket again.", Retryable: true,
	},
	{
		Code: StoreTakeover, Class: Busy,
		Cause: "The node that led before may have sent this winning ticket just before it ended. Until the " +
			"chain must have shown it, it is not sent again.",
		Remedy: "None needed. It takes a minute; then the ticket is looked up on the chain, and sent if it is " +
			"not paid.", Retryable: true,
	},
	{
		Code: StoreLeftBehind, Class: Internal,
		Cause: "The data directory's `tutti.db` has winning tickets that are not redeemed, and `-store` names a " +
			"database that does not know them. They would expire unpaid.",
		Remedy: "Take them along: `tutti ledger move -store /path/to/store` with the node's other flags. Or " +
			"start once more without `-store`, and wait until `tutti_cli tickets list` has none that is on " +
			"its way.",
	},
}
