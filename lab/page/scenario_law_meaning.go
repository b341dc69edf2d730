package page

// meaning says in a sentence what the law demands. Package domain defines I1 to I10; these
// are for somebody who sees them for the first time.
func (v lawView) meaning() string {
	switch v.Law {
	case "A1":
		return "When all is at rest, no post is left of a channel that is gone."
	case "A2":
		return "Nothing disappears from a channel that was created again unless somebody asks for that."
	case "A3":
		return "Whatever is marked as being deleted is deleted in the end."
	case "A4":
		return "Nobody is refused because of their own earlier request, and no message is handled for ever."
	case "I1":
		return "When all is at rest, each row belongs to a channel that is there."
	case "I2":
		return "Deleting one channel never touches another, even one that has the same name later."
	case "I3":
		return "A post that was accepted can be read until it is removed, and then never again."
	case "I4":
		return "Once a deletion is accepted, nobody is shown the channel or its posts."
	case "I5":
		return "Each deletion that was accepted is done in the end, or waits where an operator sees it."
	case "I6":
		return "Handling a message again, late, or twice at once changes nothing more."
	case "I7":
		return "A request that is sent twice makes one post, or one channel."
	case "I8":
		return "Each post stands once in the index by rating, and its rating is the sum of its votes."
	case "I9":
		return "Each active channel has its own open gate and no other, and that gate opens only once."
	case "I10":
		return "A session that has ended signs nobody in, and a link or an address that was used up or revoked never works again."
	default:
		return ""
	}
}
