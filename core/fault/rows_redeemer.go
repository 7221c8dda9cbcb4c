package fault

// redeemerRows are about redeeming in a process of its own.
var redeemerRows = []Row{
	{
		Code: RedeemerUnreachable, Class: Upstream,
		Cause:  "The redeemer that `-redeemerAddr` names does not answer. Winning tickets are kept and handed in when it is back. What gateways' funds carry is taken from what it said last, for some minutes; after that, and for gateways it never spoke of, no offers are made.",
		Remedy: "See that the redeemer runs (`tutti -redeemer …`), that `-redeemerAddr` is its `-httpAddr` as seen from here (which is on loopback unless given otherwise), and that no firewall is between the two.", Retryable: true,
	},
	{
		Code: RedeemerRefuses, Class: Upstream,
		Cause:  "The redeemer answers and does not take winning tickets of this orchestrator; the message has the number, the amount and its reason. They are kept and offered to it again.",
		Remedy: "Look at the redeemer's own log and conditions. \"PermissionDenied\" means that it works for another orchestrator: start it with the `-ethOrchAddr` of this one. Tickets are lost when their rounds end.", Retryable: true,
	},
	{
		Code: RedeemerCrowded, Class: Busy,
		Cause:  "More requests came to this redeemer at once, or more senders are watched through it, than it takes. A redeemer is for a few orchestrators of one operator.",
		Remedy: "None needed if it passes: what was refused is offered again. If it stays, somebody else uses the port: let only the orchestrators reach `-httpAddr`.", Retryable: true,
	},
	{
		Code: MaxFloatUnknown, Class: Upstream,
		Cause:  "The redeemer of `-redeemerAddr` answers, and could not say what this gateway's funds carry, so that no tickets can be asked of it.",
		Remedy: "Look at the redeemer's own conditions and log: it needs a working `-ethUrl` too. If the message says Unimplemented, something else than a redeemer listens at `-redeemerAddr`.", Retryable: true,
	},
	{
		Code: HandInExpired, Class: Payment,
		Cause:  "The rounds in which this winning ticket could be redeemed ended before the redeemer took it.",
		Remedy: "The ticket is worth nothing any more. See in the log why the redeemer did not take the tickets of that time (RedeemerUnreachable, RedeemerRefuses), so that the next ones are not lost.",
	},
}
