package fault

// Between an orchestrator and the process that redeems its tickets.
const (
	// RedeemerUnreachable: the redeemer of -redeemerAddr does not answer.
	RedeemerUnreachable Code = "RedeemerUnreachable"
	// RedeemerUntrusted: what answers at -redeemerAddr shows another certificate than
	// -redeemerCA.
	RedeemerUntrusted Code = "RedeemerUntrusted"
	// RedeemerUnpinned: any certificate is accepted from a redeemer on another machine.
	RedeemerUnpinned Code = "RedeemerUnpinned"
	// RedeemerCAUnusable: the file of -redeemerCA cannot be used.
	RedeemerCAUnusable Code = "RedeemerCAUnusable"
	// HandedUnpaid: the redeemer took winning tickets and has not redeemed them.
	HandedUnpaid Code = "HandedUnpaid"
	// RedeemerRefuses: the redeemer answers, and does not take winning tickets.
	RedeemerRefuses Code = "RedeemerRefuses"
	// RedeemerCrowded: as many requests or watchers as the redeemer takes at once.
	RedeemerCrowded Code = "RedeemerCrowded"
	// MaxFloatUnknown: the redeemer could not say what a gateway's funds carry.
	MaxFloatUnknown Code = "MaxFloatUnknown"
	// HandInExpired: the ticket's rounds ended before a redeemer took it.
	HandInExpired Code = "HandInExpired"
)
