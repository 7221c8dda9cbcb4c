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
