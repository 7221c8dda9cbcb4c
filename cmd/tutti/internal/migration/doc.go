// Package migration lets a node take over the keys and winning tickets of an existing node. The
// files of the existing node are read by package migratecmd, the tickets redeemed by core/migrate.
package migration
