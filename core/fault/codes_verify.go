package fault

// What a gateway finds when it holds renditions against an orchestrator's word.
const (
	// RenditionUnreadable: a rendition's pictures cannot be counted.
	// Cause: a rendition is no MPEG-TS or MP4 file with H.264 or HEVC video, or its
	// tables lead nowhere. Remedy: none needed, the gateway leaves the orchestrator.
	RenditionUnreadable Code = "RenditionUnreadable"
	// ResultSignature: a result is not signed by the orchestrator.
	// Cause: the signature over the renditions belongs to another key, or what was
	// downloaded is not what was signed. Remedy: none needed, the gateway leaves it.
	ResultSignature Code = "ResultSignature"
	// PixelsMismatch: an orchestrator bills other pixels than it made.
	// Cause: the pixels it reports are not those of the renditions.
	// Remedy: none needed, the gateway leaves it.
	PixelsMismatch Code = "PixelsMismatch"
	// RenditionSize: a rendition has another size than was asked for.
	// Cause: the orchestrator scales to another size than the network's rule gives.
	// Remedy: none needed, the gateway leaves it.
	RenditionSize Code = "RenditionSize"
	// OrchestratorUnregistered: an offer does not belong to the orchestrator that the
	// registry names for the address. Remedy: none needed.
	OrchestratorUnregistered Code = "OrchestratorUnregistered"
	// OrchestratorTooDear: an orchestrator's price is above the maximum.
	// Remedy: raise -maxPricePerUnit, or allow with -ignoreMaxPriceIfNeeded.
	OrchestratorTooDear Code = "OrchestratorTooDear"
	// OrchestratorBelowScore: an orchestrator's performance is below -minPerfScore.
	OrchestratorBelowScore Code = "OrchestratorBelowScore"
	// OrchestratorBarred: an orchestrator's work was not what it claimed, lately.
	OrchestratorBarred Code = "OrchestratorBarred"
	// RegistryUnread: the list of orchestrators cannot be read from the chain.
	RegistryUnread Code = "RegistryUnread"
)
