// Package bolt keeps tables and queues in one file of an embedded store
// (go.etcd.io/bbolt), so that MicroBlogging runs where nothing is installed.
//
// # The problem
//
// A write is safe from a loss of power only after a sync, and a sync takes about
// as long for one transaction as for fifty. A caller must not be told that a write
// is done before its sync. Nor should callers wait for one sync after another.
//
// # The model
//
// The file holds one bucket for each table and each queue. A row's key is its
// partition key, a zero byte and its row key, so that byte order is the order
// of the contract and a range is one seek, however many rows there are.
//
// One goroutine writes (writer.go). It takes all transactions that wait and looks
// at each in turn, after those before it. If every operation can be applied, it
// applies them; if not, this transaction fails alone. Then it commits and syncs
// once for all. Readers never wait for it: a page is read from one snapshot.
//
// bbolt's own group commit, Batch, waits a fixed time for more transactions: with
// 1 ms a lone writer loses a third of its speed, and with none 32 writers gain
// nothing (docs/performance.md). The writer here gathers until no caller is ready,
// so it is as fast as Update for one, and as Batch at its best delay for many.
//
// # What survives failure
//
// An acknowledged write survives the death of the process and a loss of power. A
// write that was not acknowledged is there whole or not at all. A read may see a
// write just before it is safe from a loss of power.
//
// If a commit fails, all transactions in it fail with domain.ErrUnavailable. If it
// failed after its last page was given to the disk, the store cannot know whether the
// disk has that page. Another commit could then destroy acknowledged writes, so all
// later writes are refused until the store is opened again. The same holds after a
// panic in a commit. A panic before it fails only the transactions of that commit.
//
// If the file is removed or replaced while it is open, writes are refused until it has its
// name again (writer.go): they would end with the process.
//
// The file is verified before it is opened, and before it is copied (verify.go). Each row and each
// message has a checksum of its key and its value. What is damaged later, or cannot be read by the
// disk, fails the calls that need it; the process goes on. But bbolt holds locks while it reads the
// header of the file, and keeps them after a fault there: if the file is cut off or overwritten
// while it is open, the process ends (DB.lost).
//
// Only one process at a time can open the file. The operating system's lock ends
// with the process. So do all leases: the next process that opens the file finds every
// message visible.
package bolt
