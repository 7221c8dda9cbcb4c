package fault

// Requests to an orchestrator, in the order in which they are checked. Each
// comment says what peers are told, the cause and the remedy.
const (
	// ErrSegSig. Wire: "ErrSegSig".
	// Cause: the signature over the segment is not the payment sender's: the
	// gateway signs with another key, or the request was changed on its way.
	// Remedy: none at the orchestrator; the gateway's operator checks its account.
	ErrSegSig Code = "ErrSegSig"
	// RequestSignature. Wire: "orchestrator req sig check failed".
	// Cause: a gateway's request for an offer is not signed by the address that
	// it names. Remedy: as for ErrSegSig.
	RequestSignature Code = "RequestSignature"
	// IncompatibleCapabilities. Wire: "incompatible capabilities".
	// Cause: the segment needs something that this node does not advertise.
	// Remedy: none needed, the gateway goes elsewhere; if it repeats, compare
	// the gateway's options with the capabilities on /status.
	IncompatibleCapabilities Code = "IncompatibleCapabilities"
	// MissingAuthToken. Wire: "missing auth token".
	// Cause: the segment came without the token that every offer carries.
	// Remedy: the gateway is older than auth tokens, or defective: update it.
	MissingAuthToken Code = "MissingAuthToken"
	// InvalidAuthToken. Wire: "invalid auth token".
	// Cause: the token is not this node's, or was given to another gateway; usual
	// after a restart off-chain, whose gateways still hold tokens of the process
	// before. Remedy: none needed, the gateway asks for a new offer; if it repeats,
	// two nodes share one address.
	InvalidAuthToken Code = "InvalidAuthToken"
	// EndTokenInvalid. Wire: "Invalid auth token".
	// Cause: a request to end a session carries a token that is not from this
	// process. Remedy: none needed; the session ends by itself after 70 s.
	EndTokenInvalid Code = "EndTokenInvalid"
	// ExpiredAuthToken. Wire: "expired auth token".
	// Cause: the token is older than 30 minutes: the gateway did not refresh
	// its offer, or one of the two clocks is wrong. Remedy: check this host's
	// clock (timedatectl).
	ExpiredAuthToken Code = "ExpiredAuthToken"
	// PaymentRefused. Wire: the detail.
	// Cause: the payment of a request was not accepted. Remedy: none at the
	// orchestrator unless every gateway is refused; then check `-ethUrl`.
	PaymentRefused Code = "PaymentRefused"
	// InsufficientBalance. Wire: "Insufficient balance".
	// Cause: what the gateway has paid does not cover the next segment.
	// Remedy: none needed, the gateway pays or leaves.
	InsufficientBalance Code = "InsufficientBalance"
	// SegmentUnreadable. Wire: "Internal Server Error".
	// Cause: the body of a segment ended early, came too slowly, or is larger
	// than 300 MB. Remedy: if it repeats, check the network between the gateway
	// and this node, and the gateway's segment length.
	SegmentUnreadable Code = "SegmentUnreadable"
	// UploadsFull. Wire: "OrchestratorBusy".
	// Cause: the segments being received and worked on together hold all the
	// memory set aside for them. Remedy: lower `-maxSessions`, or let gateways
	// send shorter segments.
	UploadsFull Code = "UploadsFull"
	// GatewayUploadsFull. Wire: "OrchestratorBusy".
	// Cause: a gateway sends more segments at once than are received of one session,
	// or of sessions that are new. Remedy: none needed; it tries again or elsewhere.
	GatewayUploadsFull Code = "GatewayUploadsFull"
	// InputFetchFailed. Wire: "BadRequest".
	// Cause: the segment was given as a URL, and fetching it failed, took more
	// than 4 s, or the URL points into a private network. Remedy: check that the
	// gateway's object store can be reached from this host.
	InputFetchFailed Code = "InputFetchFailed"
	// SegmentHashMismatch. Wire: "Forbidden".
	// Cause: the bytes received are not the bytes that the request announced.
	// Remedy: none at the orchestrator; if it repeats for several gateways,
	// something between them and this node changes traffic.
	SegmentHashMismatch Code = "SegmentHashMismatch"
	// ResultsFull. Wire: "OrchestratorBusy".
	// Cause: renditions that gateways have not fetched yet hold all the memory
	// set aside for them. Remedy: lower `-maxSessions`, or check the upload
	// bandwidth of this host.
	ResultsFull Code = "ResultsFull"
	// ResultNotFound. Wire: "ErrNotFound".
	// Cause: a rendition was asked for that is not kept any more or never was.
	// Remedy: if gateways report failed downloads, check this host's upload
	// bandwidth: they fetch later than 10 s after the session ended or 12
	// segments late.
	ResultNotFound Code = "ResultNotFound"
	// MismatchedSegments. Wire: "MismatchedSegments".
	// Cause: a transcoder returned another number of renditions than asked for.
	// Remedy: a defect of that transcoder; update it, and report it with the log.
	MismatchedSegments Code = "MismatchedSegments"
	// ZeroSegments. Wire: "ZeroSegments".
	// Cause: a transcoder returned a rendition with nothing in it; some damaged
	// sources do this. Remedy: if it shows for every stream of a device, take
	// the device out.
	ZeroSegments Code = "ZeroSegments"
)

// The orchestrator's listener itself.
const (
	// CertificateUnusable: cert.pem and key.pem cannot be used or kept.
	// Cause: the files given with `-tlsCert` and `-tlsKey` cannot be read, or the
	// data directory cannot be written.
	// Remedy: correct the paths, or make the data directory writable.
	CertificateUnusable Code = "CertificateUnusable"
	// CertificateKeyMismatch: the key of -tlsKey is another certificate's.
	// Cause: one of the two files was replaced. Remedy: give the pair that was made
	// together.
	CertificateKeyMismatch Code = "CertificateKeyMismatch"
	// TooManyConnections: more connections are open than the limit allows.
	// Cause: more than the set number of clients at once, or someone holds
	// connections open. Remedy: raise the limit of open files (LimitNOFILE), and
	// look at the firewall if the clients are not gateways.
	TooManyConnections Code = "TooManyConnections"
	// AddressBusy: one address has as many requests in progress as it may have before
	// a gateway or a worker there has shown valid credentials.
	// Cause: someone floods the port, or a proxy gives many peers one address. Remedy:
	// none for a flood; raise `-maxConnectionsPerAddress` behind a proxy.
	AddressBusy Code = "AddressBusy"
	// HeadersTooMany: a request's header has more fields than any node sends.
	// Cause: the client is no node, or attacks. Remedy: send fewer fields.
	HeadersTooMany Code = "HeadersTooMany"
	// DescriptorsLow: the process has few descriptors left, or its limit is low.
	// Cause: a low limit of open files, or very many connections. Remedy: raise the
	// limit of open files (LimitNOFILE).
	DescriptorsLow Code = "DescriptorsLow"
)
