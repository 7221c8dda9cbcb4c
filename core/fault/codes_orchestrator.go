package fault

// Requests to an orchestrator, in the order in which they are checked.
const (
	// ErrSegSig. Wire: "ErrSegSig".
	ErrSegSig Code = "ErrSegSig"
	// RequestSignature. Wire: "orchestrator req sig check failed".
	RequestSignature Code = "RequestSignature"
	// IncompatibleCapabilities. Wire: "incompatible capabilities".
	IncompatibleCapabilities Code = "IncompatibleCapabilities"
	// MissingAuthToken. Wire: "missing auth token".
	MissingAuthToken Code = "MissingAuthToken"
	// InvalidAuthToken. Wire: "invalid auth token".
	InvalidAuthToken Code = "InvalidAuthToken"
	// EndTokenInvalid. Wire: "Invalid auth token".
	EndTokenInvalid Code = "EndTokenInvalid"
	// ExpiredAuthToken. Wire: "expired auth token".
	ExpiredAuthToken Code = "ExpiredAuthToken"
	// PaymentRefused. Wire: the detail.
	PaymentRefused Code = "PaymentRefused"
	// InsufficientBalance. Wire: "Insufficient balance".
	InsufficientBalance Code = "InsufficientBalance"
	// SegmentUnreadable. Wire: "Internal Server Error".
	SegmentUnreadable Code = "SegmentUnreadable"
	// UploadsFull. Wire: "OrchestratorBusy".
	UploadsFull Code = "UploadsFull"
	// GatewayUploadsFull. Wire: "OrchestratorBusy".
	GatewayUploadsFull Code = "GatewayUploadsFull"
	// InputFetchFailed. Wire: "BadRequest".
	InputFetchFailed Code = "InputFetchFailed"
	// SegmentHashMismatch. Wire: "Forbidden".
	SegmentHashMismatch Code = "SegmentHashMismatch"
	// ResultsFull. Wire: "OrchestratorBusy".
	ResultsFull Code = "ResultsFull"
	// ResultNotFound. Wire: "ErrNotFound".
	ResultNotFound Code = "ResultNotFound"
	// MismatchedSegments. Wire: "MismatchedSegments".
	MismatchedSegments Code = "MismatchedSegments"
	// ZeroSegments. Wire: "ZeroSegments".
	ZeroSegments Code = "ZeroSegments"
)

// The orchestrator's listener itself.
const (
	// CertificateUnusable: cert.pem and key.pem cannot be used or kept.
	CertificateUnusable Code = "CertificateUnusable"
	// CertificateKeyMismatch: the key of -tlsKey is another certificate's.
	CertificateKeyMismatch Code = "CertificateKeyMismatch"
	// TooManyConnections: more connections are open than the limit allows.
	TooManyConnections Code = "TooManyConnections"
	// AddressBusy: one address has as many requests in progress as it may have before a gateway or a
	// worker there has shown valid credentials.
	AddressBusy Code = "AddressBusy"
	// HeadersTooMany: a request's header has more fields than any node sends.
	HeadersTooMany Code = "HeadersTooMany"
	// DescriptorsLow: the process has few descriptors left, or its limit is low.
	DescriptorsLow Code = "DescriptorsLow"
)

// orchestratorRows are the conditions of the orchestrator's listener and its segments. Read-only.
var orchestratorRows = []Row{
	{
		Code: ErrSegSig, Class: Forbidden,
		Cause: "The signature over the segment is not the payment sender's: the gateway signs with another key, " +
			"or the request was changed on its way.",
		Remedy: "None at the orchestrator; the gateway's operator checks its account.",
		Wire:   "ErrSegSig",
	},
	{
		Code: RequestSignature, Class: Forbidden,
		Cause: "A gateway's request for an offer is not signed by the address that it names: it signs with " +
			"another key, or the request was changed on its way.",
		Remedy: "None at the orchestrator; the gateway's operator checks its account.",
		Wire:   "orchestrator req sig check failed",
	},
	{
		Code: IncompatibleCapabilities, Class: Forbidden,
		Cause: "The segment needs something that this node does not advertise.",
		Remedy: "None needed, the gateway goes elsewhere; if it repeats, compare the gateway's options with the " +
			"capabilities on /status.",
		Wire: "incompatible capabilities", Retryable: true,
	},
	{
		Code: MissingAuthToken, Class: Forbidden,
		Cause:  "The segment came without the token that every offer carries.",
		Remedy: "Update the gateway: it is older than auth tokens, or defective.",
		Wire:   "missing auth token",
	},
	{
		Code: InvalidAuthToken, Class: Forbidden,
		Cause: "The token is not this node's, or was given to another gateway; usual after a restart off-chain, " +
			"whose gateways still hold tokens of the previous process. On the chain tokens last over restarts.",
		Remedy: "None needed, the gateway asks for a new offer; if it repeats, two nodes share one address.",
		Wire:   "invalid auth token", Retryable: true,
	},
	{
		Code: EndTokenInvalid, Class: Forbidden,
		Cause:  "A request to end a session carries a token that is not from this process.",
		Remedy: "None needed; the session ends by itself after 70 s.",
		Wire:   "Invalid auth token",
	},
	{
		Code: ExpiredAuthToken, Class: Forbidden,
		Cause: "The token is older than 30 minutes: the gateway did not refresh its offer, or one of the two " +
			"clocks is wrong.",
		Remedy: "Check this host's clock (`timedatectl`).",
		Wire:   "expired auth token", Retryable: true,
	},
	{
		Code: PaymentRefused, Class: Payment,
		Cause:  "The payment of a request was not accepted.",
		Remedy: "None at the orchestrator unless every gateway is refused; then check `-ethUrl`.",
		Wire:   "{detail}",
	},
	{
		Code: InsufficientBalance, Class: Payment,
		Cause:  "What the gateway has paid does not cover the next segment.",
		Remedy: "None needed, the gateway pays or leaves.",
		Wire:   "Insufficient balance",
	},
	{
		Code: SegmentUnreadable, Class: Upstream,
		Cause: "The body of a segment ended early, came too slowly, or is larger than 300 MB.",
		Remedy: "If it repeats, check the network between the gateway and this node, and the gateway's segment " +
			"length.",
		Wire: "Internal Server Error", Retryable: true,
	},
	{
		Code: UploadsFull, Class: Busy,
		Cause:  "The segments being received and worked on together hold all the memory set aside for them.",
		Remedy: "Lower `-maxSessions`, or let gateways send shorter segments.",
		Wire:   "OrchestratorBusy", Retryable: true,
	},
	{
		Code: GatewayUploadsFull, Class: Busy,
		Cause: "A gateway sends more than 8 segments of one session at the same time, or more than 128 first " +
			"segments of new sessions, and none of them is there yet.",
		Remedy: "No action needed: the gateway tries again or goes elsewhere. If it shows for honest gateways, " +
			"check this host's download bandwidth: their segments take too long to arrive.",
		Wire: "OrchestratorBusy", Retryable: true,
	},
	{
		Code: InputFetchFailed, Class: Upstream,
		Cause: "The segment was given as a URL, and fetching it failed, took more than 4 s, or the URL points " +
			"into a private network that `-objectStoreNetworks` does not name.",
		Remedy: "Check that the gateway's object store can be reached from this host. If the store is in a " +
			"network of your own, name that in `-objectStoreNetworks`, as in `-objectStoreNetworks " +
			"10.9.0.0/16`, and start the node again.",
		Wire: "BadRequest", Retryable: true,
	},
	{
		Code: SegmentHashMismatch, Class: Forbidden,
		Cause: "The bytes received are not the bytes that the request announced.",
		Remedy: "None at the orchestrator; if it repeats for several gateways, something between them and this " +
			"node changes traffic.",
		Wire: "Forbidden", Retryable: true,
	},
	{
		Code: ResultsFull, Class: Busy,
		Cause:  "Renditions that gateways have not fetched hold all the memory set aside for them.",
		Remedy: "Lower `-maxSessions`, or check the upload bandwidth of this host.",
		Wire:   "OrchestratorBusy", Retryable: true,
	},
	{
		Code: ResultNotFound, Class: NotFound,
		Cause: "A rendition was asked for that is not kept any more or never was.",
		Remedy: "If gateways report failed downloads, check this host's upload bandwidth: they fetch later than " +
			"10 s after the session ended, or 12 segments late.",
		Wire: "ErrNotFound",
	},
	{
		Code: MismatchedSegments, Class: Upstream,
		Cause:  "A transcoder returned another number of renditions than asked for, a defect of that transcoder.",
		Remedy: "Update the transcoder, and report it with the log.",
		Wire:   "MismatchedSegments", Retryable: true,
	},
	{
		Code: ZeroSegments, Class: Upstream,
		Cause:  "A transcoder returned a rendition with nothing in it; some damaged sources do this.",
		Remedy: "If it shows for every stream of a device, take the device out.",
		Wire:   "ZeroSegments", Retryable: true,
	},
	{
		Code: CertificateUnusable, Class: Config,
		Cause: "The files given with `-tlsCert` and `-tlsKey` cannot be read or are no PEM, or the data " +
			"directory, which keeps cert.pem and key.pem, cannot be written.",
		Remedy: "Correct the paths, or make the data directory writable.",
	},
	{
		Code: CertificateKeyMismatch, Class: Config,
		Cause: "The key of `-tlsKey` belongs to another certificate than that of `-tlsCert`. A renewal that " +
			"replaced one of the two files leaves such a pair.",
		Remedy: "Give the certificate and the key that were made together: `openssl x509 -noout -pubkey -in " +
			"CERT` and `openssl pkey -pubout -in KEY` print the same key. " +
			"In a file with a chain the node's own certificate comes first.",
	},
	{
		Code: TooManyConnections, Class: Busy,
		Cause: "More clients are connected at once than the limit allows, or one client holds many connections open.",
		Remedy: "Raise the limit of open files (LimitNOFILE), and look at the firewall if the clients are not " +
			"gateways.", Retryable: true,
	}, {
		Code: AddressBusy, Class: Busy,
		Cause: "One address has as many requests in progress as it may have before a gateway or a worker there " +
			"has shown valid credentials, has asked a router too much, or has had too many pushes refused by " +
			"the admission hook. It floods the port, or a proxy gives many peers one address.",
		Remedy: "No action needed for a flood. Behind a proxy that hides addresses raise " +
			"`-maxConnectionsPerAddress`; name your own routers, gateways and proxies in `-knownPeers`.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: HeadersTooMany, Class: BadRequest,
		Cause:  "A request has more header fields than any node of the network sends.",
		Remedy: "Send fewer header fields, 128 at most.",
		Wire:   "too many header fields",
	},
	{
		Code: DescriptorsLow, Class: Config,
		Symptom: "`too many open files`",
		Cause: "The process may open few files, or has opened nearly as many as it may. Every connection takes " +
			"one, so fewer connections are served than `-maxConnections` says.",
		Remedy: "Raise the limit: `LimitNOFILE=65536` in the unit file, `--ulimit nofile=65536` for a container, " +
			"`ulimit -n 65536` in the shell; then restart the node.",
	},
}
