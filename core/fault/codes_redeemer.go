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

// redeemerRows are about redeeming in a process of its own. Read-only.
var redeemerRows = []Row{
	{
		Code: RedeemerUnreachable, Class: Upstream,
		Cause: "The redeemer that `-redeemerAddr` names does not answer. Winning tickets are kept and handed in " +
			"when it is back. What gateways' funds carry is taken from what it said last, for some minutes; " +
			"after that, and for gateways it never spoke of, no offers are made.",
		Remedy: "See that the redeemer runs (`tutti -redeemer …`), that `-redeemerAddr` is its `-httpAddr` as " +
			"seen from here (which is on loopback unless given otherwise), and that no firewall is between " +
			"the two.", Retryable: true,
	},
	{
		Code: RedeemerUntrusted, Class: Upstream,
		Cause: "What answers at `-redeemerAddr` shows a certificate that does not come from `-redeemerCA`: " +
			"another program, another machine, or a redeemer that was set up again with a new key. Nothing " +
			"is handed to it. Winning tickets are kept and handed in when the right one answers.",
		Remedy: "Compare `openssl s_client -connect HOST:8935 </dev/null 2>/dev/null | openssl x509 -noout " +
			"-fingerprint -sha256` with `openssl x509 -in cert.pem -noout -fingerprint -sha256` in the " +
			"redeemer's data directory. If they are equal, copy that cert.pem to the file of `-redeemerCA` " +
			"and restart the orchestrator; if not, find out what listens there.", Retryable: true,
	},
	{
		Code: RedeemerUnpinned, Class: Config,
		Cause: "`-redeemerAddr` names another machine, and without `-redeemerCA` any certificate is accepted " +
			"from it. A machine on the way can take winning tickets, and read the random numbers of ticket " +
			"parameters that are still in use.",
		Remedy: "Copy cert.pem from the redeemer's data directory to this machine and give its path with " +
			"`-redeemerCA`. The redeemer keeps its key when it renews the certificate, so the file stays " +
			"right.",
	},
	{
		Code: RedeemerCAUnusable, Class: Config,
		Cause: "The file of `-redeemerCA` cannot be read, or has no certificate in PEM form.",
		Remedy: "Correct the path, or copy cert.pem from the redeemer's data directory to it. `openssl x509 -in " +
			"FILE -text` shows a certificate.",
	},
	{
		Code: HandedUnpaid, Class: Payment,
		Cause: "The redeemer took winning tickets more than half of the time ago in which they can be redeemed, " +
			"and the ticket broker does not have them as redeemed. The message names the redeemer, how many " +
			"there are, what they are worth, and their last round. The redeemer may wait for cheaper gas, " +
			"may have lost its data, or may not be what it claims to be.",
		Remedy: "Look at the redeemer's own tickets, conditions and log (`tutti_cli tickets list`). To have this " +
			"node redeem them with its own account, restart it without `-redeemerAddr` before the round in " +
			"the message ends: the tickets are still in its ledger.", Retryable: true,
	},
	{
		Code: RedeemerRefuses, Class: Upstream,
		Cause: "The redeemer answers and does not take winning tickets of this orchestrator; the message has " +
			"the number, the amount and its reason. They are kept and offered to it again.",
		Remedy: "Look at the redeemer's own log and conditions. \"PermissionDenied\" means that it works for " +
			"another orchestrator: start it with the `-ethOrchAddr` of this one. Tickets are lost when " +
			"their rounds end.",
		Retryable: true,
	},
	{
		Code: RedeemerCrowded, Class: Busy,
		Cause: "More requests came to this redeemer at once, or more senders are watched through it, than it " +
			"takes. A redeemer is for a few orchestrators of one operator.",
		Remedy: "None needed if it passes: what was refused is offered again. If it stays, another party uses " +
			"the port: let only the orchestrators reach `-httpAddr`.", Retryable: true,
	},
	{
		Code: MaxFloatUnknown, Class: Upstream,
		Cause: "The redeemer of `-redeemerAddr` answers, and could not say what this gateway's funds carry, so " +
			"that no tickets can be asked of it.",
		Remedy: "Look at the redeemer's own conditions and log: it needs a working `-ethUrl` too. If the message " +
			"says Unimplemented, something else than a redeemer listens at `-redeemerAddr`.", Retryable: true,
	},
	{
		Code: HandInExpired, Class: Payment,
		Cause: "The rounds in which this winning ticket could be redeemed ended before the redeemer took it.",
		Remedy: "The ticket is worth nothing any more. See in the log why the redeemer did not take the tickets " +
			"of that time (RedeemerUnreachable, RedeemerRefuses), so that the next ones are not lost.",
	},
}
