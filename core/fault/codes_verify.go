package fault

// What a gateway finds when it holds renditions against an orchestrator's word.
const (
	// RenditionUnreadable: a rendition's frames cannot be counted.
	RenditionUnreadable Code = "RenditionUnreadable"
	// ResultSignature: a result is not signed by the orchestrator.
	ResultSignature Code = "ResultSignature"
	// PixelsMismatch: an orchestrator bills other pixels than it made.
	PixelsMismatch Code = "PixelsMismatch"
	// RenditionSize: a rendition has another size than was asked for.
	RenditionSize Code = "RenditionSize"
	// OrchestratorUnregistered: an offer does not belong to the orchestrator that the registry names for
	// the address.
	OrchestratorUnregistered Code = "OrchestratorUnregistered"
	// OrchestratorTooDear: an orchestrator's price is above the maximum.
	OrchestratorTooDear Code = "OrchestratorTooDear"
	// OrchestratorBelowScore: an orchestrator's performance is below -minPerfScore.
	OrchestratorBelowScore Code = "OrchestratorBelowScore"
	// OrchestratorBarred: an orchestrator's work was not what it claimed, lately.
	OrchestratorBarred Code = "OrchestratorBarred"
	// RegistryUnread: the list of orchestrators cannot be read from the chain.
	RegistryUnread Code = "RegistryUnread"
)

// verifyRows are the conditions of a gateway that chooses orchestrators by the
// chain and checks their work. Read-only.
var verifyRows = []Row{
	{
		Code: ResultSignature, Class: Upstream,
		Cause: "The signature over a segment's renditions is missing, belongs to another key than the " +
			"orchestrator's, or what was downloaded is not what was signed.",
		Remedy: "None needed, the gateway leaves the orchestrator for a while and tries the segment elsewhere. " +
			"If every orchestrator shows it, something between this host and the Internet changes traffic.",
		Wire: "the orchestrator's result could not be verified", Retryable: true,
	},
	{
		Code: PixelsMismatch, Class: Upstream,
		Cause: "An orchestrator reports, and so bills, other pixels than its renditions hold.",
		Remedy: "None needed, the gateway leaves the orchestrator for a while and tries the segment elsewhere; " +
			"`-orchBlocklist` keeps it away for good.",
		Wire: "the orchestrator's result could not be verified", Retryable: true,
	},
	{
		Code: RenditionSize, Class: Upstream,
		Cause: "A rendition is smaller or larger than the network's rule makes it from the source and the " +
			"profile that was asked for.",
		Remedy: "None needed, the gateway leaves the orchestrator for a while and tries the segment elsewhere.",
		Wire:   "the orchestrator's result could not be verified", Retryable: true,
	},
	{
		Code: RenditionUnreadable, Class: Upstream,
		Cause: "A rendition is no MPEG-TS or MP4 file with H.264 or HEVC video, or it is damaged, so that its " +
			"frames cannot be counted.",
		Remedy: "None needed, the gateway leaves the orchestrator for a while and tries the segment elsewhere.",
		Wire:   "the orchestrator's result could not be verified", Retryable: true,
	},
	{
		Code: OrchestratorUnregistered, Class: Upstream,
		Cause: "The offer under a registered service address names neither the address nor the ticket recipient " +
			"that the registry has for it: two orchestrators registered one address, or its DNS name leads " +
			"elsewhere now.",
		Remedy: "None needed, it is not used. An orchestrator named in `-orchAddr` is used without the registry.",
		Wire:   "the offer is not the registered orchestrator's", Retryable: true,
	},
	{
		Code: OrchestratorBarred, Class: Upstream,
		Cause: "The orchestrator's work was not what it claimed to be (ResultSignature, PixelsMismatch, " +
			"RenditionSize or RenditionUnreadable in the log), so that it is left alone for 10 minutes, and " +
			"longer each time.",
		Remedy: "None needed where there are others. If it is the only one and is trusted, `-localVerify=false` " +
			"uses it without checks, after a restart.",
		Wire: "the orchestrator's results could not be verified", Retryable: true,
	},
	{
		Code: OrchestratorTooDear, Class: Upstream,
		Symptom: "no sessions although orchestrators answer",
		Cause:   "The price is above what `-maxPricePerUnit` or `-maxPricePerCapability` allows.",
		Remedy: "Raise the maximum, also at run time, or let `-ignoreMaxPriceIfNeeded` accept expensive ones when " +
			"there " +
			"is no other.",
		Wire: "the orchestrator costs too much", Retryable: true,
	},
	{
		Code: OrchestratorBelowScore, Class: Upstream,
		Cause:  "The orchestrator's performance score is below `-minPerfScore`.",
		Remedy: "None needed; lower `-minPerfScore` if too few are left.",
		Wire:   "the orchestrator is too slow", Retryable: true,
	},
	{
		Code: RegistryUnread, Class: Upstream,
		Cause: "The active set and the registry cannot be read from the chain, so the gateway does not know of " +
			"new orchestrators or changed addresses.",
		Remedy: "Check `-ethUrl`; the list read last stays in use. `-orchAddr` names orchestrators without the " +
			"chain.",
		Wire: "no orchestrators are known", Retryable: true,
	},
}
