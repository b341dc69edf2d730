package domain

import (
	"cmp"
	"slices"
)

// Posters says who may post to a channel besides its owner.
type Posters string

// The choices of an owner.
const (
	PostersOpen    Posters = "open"    // everybody who has an account
	PostersMembers Posters = "members" // the accounts on a list
	PostersOwner   Posters = "owner"   // no others
)

// Posting is who may post to a channel besides its owner. The lists are in the order of the names. They hold
// accounts and not names: another account of the name, made at another time, is not on the list.
type Posting struct {
	Posters Posters
	// Members are who may post if the choice is PostersMembers. The list stays while another is made.
	Members []User
	// Blocked are who may not.
	Blocked []User
}

// Named finds the account of a name on a list, or where it would be.
func Named(accounts []User, name UserName) (at int, found bool) {
	return slices.BinarySearchFunc(accounts, name, func(account User, name UserName) int { return cmp.Compare(account.Name, name) })
}

// WithAccount returns the list with an account, in the place of another of its name.
func WithAccount(accounts []User, account User) []User {
	at, found := Named(accounts, account.Name)
	if found {
		accounts = slices.Clone(accounts)
		accounts[at] = account
		return accounts
	}
	return slices.Insert(slices.Clone(accounts), at, account)
}

// WithoutAccount returns the list without a name.
func WithoutAccount(accounts []User, name UserName) []User {
	return slices.DeleteFunc(slices.Clone(accounts), func(account User) bool { return account.Name == name })
}
