-- Prints a cart, a line for each item.
local function report(items)
  for i = 1, #items - 1 do
    print(items[i].name, items[i].price)
  end
end

return report
