// It redeems nothing itself, package pm/redeemer does, and checks tickets only as far as that
// protects it. The orchestrators' side is package client below it. cmd/tutti runs it in a
// process of its own.
package redeemer
