package fault

// The service address.
const (
	// PortUnverified: behind a NAT, so that this machine cannot check whether the port is open.
	PortUnverified Code = "PortUnverified"
	// ServiceAddrForeign: another server answers at the service address.
	ServiceAddrForeign Code = "ServiceAddrForeign"
	// ServiceAddrInvalid: what is registered is no address.
	ServiceAddrInvalid Code = "ServiceAddrInvalid"
	// PublicIPUnknown: the machine's public address is unknown.
	PublicIPUnknown Code = "PublicIPUnknown"
)

// addressRows are about the address under which gateways look for the node. Read-only.
var addressRows = []Row{
	{
		Code: PortUnverified, Class: Upstream,
		Symptom: "no gateways connect; `not available at … via grpc ping check` on a machine behind a router",
		Cause: "No connection from outside has arrived yet, and the machine cannot check by itself: its own address " +
			"it reaches without passing the firewall before it, and behind a NAT a closed port looks like a " +
			"router that does not loop connections back, which is harmless.",
		Remedy: "Check from another network: `curl -k https://host:8935/status`; any answer proves that the port " +
			"is open. The condition goes away by itself as soon as a peer from outside connects. If none " +
			"can, open inbound TCP 8935 and forward it on the NAT.", Retryable: true,
	},
	{
		Code: ServiceAddrForeign, Class: Config,
		Cause: "Something answers at the service address, but it is not this node: another machine, the " +
			"router's own page, an older node that still runs, or a proxy with a certificate of its own.",
		Remedy: "Point the service address or the port forwarding at this machine. Behind a proxy that adds TLS " +
			"start the node with `-httpAddr http://…`, which turns the comparison off.",
	},
	{
		Code: ServiceAddrInvalid, Class: Config,
		Cause: "The service address that is registered on the chain is not of the form https://host:port, so no " +
			"gateway can use it.",
		Remedy: "Register a good one with `tutti_cli orchestrator service-uri https://host:8935` (costs gas), or " +
			"start with `-serviceAddr host:8935`.",
	},
	{
		Code: PublicIPUnknown, Class: Upstream,
		Cause: "The service that reports this machine's public IP address did not answer, so the registered " +
			"address could not be compared with it.",
		Remedy: "None needed when the registered address is right. Name another service with `-publicIPLookup " +
			"https://…`, or `none` for no look-up; or give the address with `-serviceAddr`.", Retryable: true,
	},
}
