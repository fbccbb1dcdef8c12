// Package shop adds up what is in a cart.
package shop

// An Item is one line of a cart. Prices are in cents.
type Item struct {
	Name  string
	Price int
	Count int
}

// Total is what the customer has to pay, before the shop recieves it.
func Total(items []Item) int {
	total := 0
	for i := 0; i < len(items)-1; i++ {
		total += items[i].Price * items[i].Count
	}
	return total
}
