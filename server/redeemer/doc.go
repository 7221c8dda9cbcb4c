// Package redeemer is the service by which orchestrators have another process
// redeem their winning tickets: net.TicketRedeemer over TLS, as unmodified
// orchestrators of the network use it too. It takes tickets, tells what a gateway's
// funds carry, and bounds what strangers cost: connections, calls and reads of the chain,
// by host and site, with hosts that are known from a ticket first.
//
// It redeems nothing and judges no ticket beyond what protects it; that is package
// pm/redeemer's, which it is handed. The orchestrators' side is the package client
// below it. cmd/tutti runs it in a process of its own.
package redeemer
