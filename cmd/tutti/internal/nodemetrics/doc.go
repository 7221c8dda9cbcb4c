// Package nodemetrics gives package server/metrics the values of the node that are read at every
// scrape and belong to no single role: machine, chain, tickets and prices. It counts nothing itself.
// Package main calls it when all roles are there.
package nodemetrics
