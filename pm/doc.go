// Package pm is the arithmetic of probabilistic micropayment: tickets, their
// hashes and signatures, the draw, expected values, the parameters a recipient
// hands out, the checks of a payment, the batches a sender makes.
//
// Everything in it is a function of what it is given: it has no clock, no dice, no
// file and no socket. Package pm/recipient keeps an orchestrator's books with it,
// pm/sender a gateway's, pm/redeemer turns winners into money, and pm/ledger is
// where all of that lies on disk.
package pm
